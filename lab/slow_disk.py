"""A cache disk of its own whose speed can be limited: a file system in a file, on a loop device.

The limit belongs to a control group that the mount is put into. It is set on the disk below the file, so that the loop
device shows the waiting as any slow disk does; where that disk is not known to the kernel's block layer (overlay
file systems in containers) it is set on the loop device itself, and the waiting then shows only inside the mount.
"""
import os
import subprocess


class NoSlowDisk(Exception):
    """This machine gives no way to have a slow disk."""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise NoSlowDisk(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.strip()


class SlowDisk:
    def __init__(self, folder, name, megabytes):
        self.image = os.path.join(folder, "disk.img")
        self.path = os.path.join(folder, "disk")
        self.name = name
        self.loop = None
        self.mounted = False
        self.group = None
        self.v2 = False
        with open(self.image, "wb") as file:
            file.truncate(megabytes * 1024 * 1024)
        os.makedirs(self.path)
        try:
            try:
                self.loop = run("losetup", "--find", "--show", "--direct-io=on", self.image)
            except NoSlowDisk:
                self.loop = run("losetup", "--find", "--show", self.image)
            run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=1", self.loop)
            run("mount", "-o", "noatime", self.loop, self.path)
            self.mounted = True
            self.device = self.disk_below() or self.number("/sys/class/block/" + os.path.basename(self.loop))
            self.make_group()
        except (NoSlowDisk, OSError) as error:
            self.remove()
            raise NoSlowDisk(str(error)) from error

    @staticmethod
    def number(folder):
        with open(os.path.join(folder, "dev")) as file:
            return file.read().strip()

    def disk_below(self):
        """The whole disk that holds the image, as MAJOR:MINOR, or None."""
        number = os.stat(self.image).st_dev
        folder = os.path.realpath(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
        if not os.path.exists(folder):
            return None
        if os.path.exists(os.path.join(folder, "partition")):
            folder = os.path.dirname(folder)
        return self.number(folder)

    def make_group(self):
        if os.path.isdir("/sys/fs/cgroup/blkio"):
            self.group = os.path.join("/sys/fs/cgroup/blkio", self.name)
        elif os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
            with open("/sys/fs/cgroup/cgroup.controllers") as file:
                if "io" not in file.read().split():
                    raise NoSlowDisk("the io controller is not available")
            with open("/sys/fs/cgroup/cgroup.subtree_control", "w") as file:
                file.write("+io")
            self.group, self.v2 = os.path.join("/sys/fs/cgroup", self.name), True
        else:
            raise NoSlowDisk("there are no control groups for block devices")
        os.makedirs(self.group, exist_ok=True)

    def hold(self, pid):
        with open(os.path.join(self.group, "cgroup.procs"), "w") as file:
            file.write(str(pid))

    def limit_reads(self, mb_per_s):
        """0 takes the limit away."""
        rate = int(mb_per_s * 1e6)
        if self.v2:
            name, value = "io.max", f"{self.device} rbps={rate or 'max'}"
        else:
            name, value = "blkio.throttle.read_bps_device", f"{self.device} {rate}"
        with open(os.path.join(self.group, name), "w") as file:
            file.write(value)

    def remove(self):
        if self.mounted:
            self.mounted = False
            subprocess.run(["umount", "-l", self.path], capture_output=True)
        if self.loop:
            subprocess.run(["losetup", "--detach", self.loop], capture_output=True)
        if self.group:
            try:
                os.rmdir(self.group)
            except OSError:
                pass  # a process is still leaving it; an empty group costs nothing
        if os.path.exists(self.image):
            os.unlink(self.image)
