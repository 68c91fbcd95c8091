#!/bin/sh
# Tells the daemon something over MQTT and asks about it. Needs mosquitto_pub and mosquitto_rr (mosquitto-clients).
#
#   deploy/examples/tell_and_ask_mqtt.sh [SCOPE]
set -eu
scope=${1:-kim}
broker="-h ${MQTT_HOST:-127.0.0.1} -p ${MQTT_PORT:-1883}"
base=claudemem/${MQTT_INSTANCE:-home}

# ask TOPIC PAYLOAD: publish a request and print its one reply, which comes on the response topic that we name.
ask() {
  # shellcheck disable=SC2086 # two options and their values
  mosquitto_rr $broker -V 5 -q 1 -W 60 -t "$base/$1" -e "$base/reply/example-$$" -m "$2"
}

# Bare words are as good as {"text": "…"}.
ask "memory/$scope/observe" 'My doctor put me on amlodipine 5 mg.'
ask "chat/$scope/request" 'Which medicine do I take?'
ask "chat/$scope/request" 'Remind me tomorrow at 10 am to measure my blood pressure.'
