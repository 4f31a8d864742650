"""What ``seeworthy audit`` and ``seeworthy intervene`` share."""
