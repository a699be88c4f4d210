"""A folder for the import path of Pythons that a script starts: `import tensorflow` finds icefloe's names there."""
