"""``python -m seeworthy.agent.cli`` is the ``seeworthy`` command."""

from . import main

if __name__ == "__main__":
    main()
