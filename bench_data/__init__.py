"""The core: pictures, degradations, and the types that questions are made of. Uses nothing above it."""
