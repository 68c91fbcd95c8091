#!/bin/sh
# Tells the daemon something over its Unix socket, asks about it, and sets a reminder. Needs curl.
#
#   deploy/examples/tell_and_ask.sh [SCOPE]
set -eu
scope=${1:-kim}
socket=${CLAUDEMEM_SOCKET:-/run/claudemem-edge/api.sock}

# call METHOD PATH [JSON]: the answer on one line; a refusal, which is JSON too, on standard error.
call() {
  curl --silent --show-error --fail-with-body --unix-socket "$socket" --request "$1" \
    --header 'Content-Type: application/json' ${3:+--data "$3"} "http://localhost/memory/$scope$2" || {
    status=$?
    echo >&2
    exit $status
  }
}

call POST /observe '{"text": "My doctor put me on amlodipine 5 mg."}'
echo

# One JSON object a line: accepted, then pieces of the answer, then exactly one of final, failed, cancelled.
call POST /say '{"text": "Which medicine do I take?"}'

# What the language model was given before the question, and what is to happen.
call POST /say '{"text": "Remind me tomorrow at 10 am to measure my blood pressure.", "stream": false}'
echo
call GET "/context?query=Which+medicine%3F"
echo
call GET /pending
echo
