"""The robust solver: a state machine around any vision-language model, and the command line."""
