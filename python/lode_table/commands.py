"""What the commands of this package have in common, for further ones. It does not load pyarrow."""

from lode._commands import Say, Tell, run_command, whole_number

__all__ = ["Say", "Tell", "run_command", "whole_number"]
