#!/usr/bin/env bash
# Starts a server in the background and tells the following steps of it. It ends with the machine of the job.
set -euo pipefail

data="${RUNNER_TEMP:?}/pilothouse"
log="$data.log"
kubeconfig="$data/admin.kubeconfig"
# shellcheck disable=SC2086 # several flags
nohup pilothouse --store=memory --bind-address=127.0.0.1 --data-dir="$data" --logging-format=text ${FLAGS:-} >"$log" 2>&1 &
server=$!
for _ in $(seq 150); do
  if grep -q 'Pilothouse is ready' "$log"; then
    echo "KUBECONFIG=$kubeconfig" >>"${GITHUB_ENV:?}"
    echo "kubeconfig=$kubeconfig" >>"${GITHUB_OUTPUT:?}"
    exit 0
  fi
  kill -0 "$server" 2>/dev/null || break
  sleep 0.2
done
cat "$log" >&2
echo 'Pilothouse did not become ready' >&2
exit 1
