#!/bin/sh
# SPDX-License-Identifier: MIT
# image.sh CACHE: makes what the virtual machines boot, unless it is there already:
#	CACHE/KEY/vmlinuz	Debian's kernel for clouds: NVMe and ext4 are built in, so
#				that it finds its root without an initramfs
#	CACHE/KEY/root.img	a small Debian with systemd: ext4, for both guests
# and prints the directory CACHE/KEY. KEY is a hash of all that decides what is in them. The
# release is that of this machine, whose programs run there.
set -eu

cache=$1
here=$(dirname "$0")
kernel=linux-image-cloud-amd64
# What systemd needs to run a lingering user's manager, and what the tests call.
packages=curl,dbus,dbus-user-session,jq,kmod,libcap2,libmd0,libmicrohttpd12,libpam-systemd,libsqlite3-0
packages=$packages,apparmor,crun,runc
packages=$packages,nginx-light,openssl,procps,strace,systemd,systemd-sysv

# The file is there on every system that this can run on.
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
if [ -z "$release" ] || ! command -v apt-get >/dev/null; then
	echo 'image.sh: the guests are made from the packages of this machine, if it is a Debian' >&2
	exit 1
fi
key=$({
	echo "$release"
	cat "$0" "$here"/guest/*
} | sha256sum | cut -c 1-16)
made=$cache/$key
if [ -e "$made/root.img" ]; then
	echo "$made"
	exit 0
fi

echo 'making the image of the guests, about a minute' >&2
rm -rf "$cache"
mkdir -p "$made"
work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
root=$work/root

# Debian's kernel comes as a metapackage, which depends on the one of the day.
fetch_kernel() {
	apt-get update -qq
	mkdir "$work/kernel"
	day=$(apt-cache depends "$kernel" | sed -n 's/^ *Depends: //p' | head -n 1)
	# It may not run as _apt, who cannot write here.
	(cd "$work/kernel" && apt-get -qq -o APT::Sandbox::User=root download "${day:?no $kernel}")
	dpkg-deb -x "$work"/kernel/*.deb "$work/kernel"
	cp "$work"/kernel/boot/vmlinuz-* "$made/vmlinuz"
}

install_packages() {
	mmdebstrap --quiet --variant=minbase --architectures=amd64 --include=$packages \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--customize-hook='rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/*' \
		"$release" "$root"
}

# The kernel's modules, the two ways to start, a user whose manager runs without a login, and
# nothing that works beside the tests.
arrange() {
	install -m 755 "$here/guest/quod-init" "$root/sbin/quod-init"
	install -m 644 "$here/guest/quod-check.service" "$root/etc/systemd/system/"
	mkdir -p "$root/srv/quod" "$root/var/lib/systemd/linger" \
		"$root/etc/systemd/system/multi-user.target.wants"
	cp -R "$work/kernel/lib/modules" "$root/lib/modules"
	chroot "$root" depmod "$(ls "$root/lib/modules")"
	chroot "$root" useradd --create-home --uid 1000 --shell /bin/sh tester
	touch "$root/var/lib/systemd/linger/tester"
	ln -s ../quod-check.service "$root/etc/systemd/system/multi-user.target.wants/"
	ln -sf /lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
	for unit in apparmor.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
		e2scrub_reap.service getty.target nginx.service serial-getty@ttyS0.service; do
		ln -sf /dev/null "$root/etc/systemd/system/$unit"
	done
	echo quod >"$root/etc/hostname"
	: >"$root/etc/fstab"
}

fetch_kernel
install_packages
arrange
# The name comes last: what is cut short is made anew.
mke2fs -q -t ext4 -O '^has_journal' -E root_owner=0:0 -d "$root" "$work/root.img" 1200M >&2
mv "$work/root.img" "$made/root.img"
echo "$made"
