"""The option --engine-wheel of the drift scripts."""
import os
import subprocess
import sys
import tempfile

OPTION = "--engine-wheel"


def use():
    """Runs the script again with the wheel that the option names, for example vllm==0.33.0 or the file of a wheel.

    The wheel is installed without its dependencies into a temporary folder. The Python environment must have PyTorch and the
    packages that the engine's scheduler imports.
    """
    if OPTION not in sys.argv:
        return
    at = sys.argv.index(OPTION)
    wheel = sys.argv[at + 1]
    rest = sys.argv[:at] + sys.argv[at + 2:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, wheel], check=True)
        paths = [folder, *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        sys.exit(subprocess.run([sys.executable, *rest], env=environment).returncode)
