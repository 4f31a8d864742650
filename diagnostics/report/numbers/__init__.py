"""From judged runs to the numbers of a report; one file a table."""
