#!/bin/sh
# What the tests need from Debian: Chromium for the pages, Chinese fonts for the screenshots, PostgreSQL for the store.
# Installed when run as root; else it says what is missing, and the tests that need it say that they did not run.
set -eu
missing=""
command -v chromium-headless-shell >/dev/null || missing="$missing chromium-headless-shell"
[ -e /usr/share/fonts/opentype/noto/NotoSerifCJK-Regular.ttc ] || missing="$missing fonts-noto-cjk"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing from Debian's packages:$missing"
  apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
  echo "missing:$missing. The tests that need them are skipped. As root: apt-get install$missing"
fi
