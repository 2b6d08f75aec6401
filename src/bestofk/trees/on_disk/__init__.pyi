from .file_growth import grow_from_file as grow_from_file
