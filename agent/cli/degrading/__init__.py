"""The parts of ``seeworthy degrade``: what is done to a picture, the list of what can be done, photographs, scenes."""
