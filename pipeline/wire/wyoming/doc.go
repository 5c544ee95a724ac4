// Package wyoming is the protocol between Home Assistant and voice services: events of
// one line of JSON each, which JSON and audio may follow, over a plain connection.
//
// Read event.go for how an event is written and read, and types.go for what events say.
//
// Source: OHF-Voice/wyoming README.md, wyoming/event.py, asr.py, tts.py, audio.py,
// info.py, wake.py, ping.py and error.py (version 1.7.2 and later, 2026-06-12), read
// 2026-11-29.
package wyoming
