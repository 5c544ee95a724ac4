package main

import (
	"strings"

	"halfsecond/mockllm/catalog"
)

var hardwareList = catalogList[catalog.Hardware]{
	name: "hardware", about: "Accelerators and processors: memory, bandwidth, compute, interconnect",
	all: (*catalog.Catalog).Devices, find: (*catalog.Catalog).Hardware,
	columns:  hardwareColumns,
	document: func(h catalog.Hardware) any { return newHardwareJSON(h) },
}

var hardwareColumns = []column[catalog.Hardware]{
	{"name", true, func(h catalog.Hardware) string { return h.Name }},
	{"vendor", false, func(h catalog.Hardware) string { return h.Vendor }},
	{"family", false, func(h catalog.Hardware) string { return h.Family }},
	{"memory", true, func(h catalog.Hardware) string { return figure(float64(h.Memory), 1<<30, "GB") }},
	{"memory type", false, func(h catalog.Hardware) string { return h.MemoryType }},
	{"bandwidth", true, func(h catalog.Hardware) string { return figure(h.Bandwidth, 1e9, "GB/s") }},
	{"fp16", true, func(h catalog.Hardware) string { return figure(h.FP16, 1e12, "TFLOPS") }},
	{"portable", false, func(h catalog.Hardware) string { return figure(h.Portable, 1e12, "TFLOPS") }},
	{"fp32", false, func(h catalog.Hardware) string { return figure(h.FP32, 1e12, "TFLOPS") }},
	{"int8", true, func(h catalog.Hardware) string { return figure(h.INT8, 1e12, "TOPS") }},
	{"fp8", true, func(h catalog.Hardware) string { return figure(h.FP8, 1e12, "TFLOPS") }},
	{"fp4", false, func(h catalog.Hardware) string { return figure(h.FP4, 1e12, "TFLOPS") }},
	{"cores", false, func(h catalog.Hardware) string { return count(h.Cores) }},
	{"interconnect", true, func(h catalog.Hardware) string {
		return strings.TrimSpace(h.Interconnect + " " + figure(h.Link, 1e9, "GB/s"))
	}},
	{"power", false, func(h catalog.Hardware) string { return figure(h.TDP, 1, "W") }},
	{"status", true, func(h catalog.Hardware) string { return rowStatus(h.Unverified, h.Own) }},
	{"source", true, func(h catalog.Hardware) string { return h.Source }},
	{"read on", false, func(h catalog.Hardware) string { return readOn(h.Own) }},
}

// hardwareJSON is a device as a JSON document; what is unknown is null.
type hardwareJSON struct {
	Name            string   `json:"name"`
	Vendor          string   `json:"vendor"`
	Family          string   `json:"family"`
	MemoryGB        *float64 `json:"memory_gb"` // of 2^30 bytes
	MemoryType      *string  `json:"memory_type"`
	BandwidthGBs    float64  `json:"bandwidth_gb_s"`
	FP16TFLOPS      *float64 `json:"fp16_tflops"`
	PortableTFLOPS  *float64 `json:"portable_tflops"` // null where it is that of fp16
	FP32TFLOPS      *float64 `json:"fp32_tflops"`
	INT8TOPS        *float64 `json:"int8_tops"`
	FP8TFLOPS       *float64 `json:"fp8_tflops"`
	FP4TFLOPS       *float64 `json:"fp4_tflops"`
	Cores           *int     `json:"cores"`
	Interconnect    string   `json:"interconnect"`
	InterconnectGBs *float64 `json:"interconnect_gb_s_per_direction"`
	PowerW          *float64 `json:"tdp_w"`
	Unverified      bool     `json:"unverified"`
	Source          string   `json:"source"`
	ReadOn          *string  `json:"read_on"` // null for a row of the user\'s own
	Own             bool     `json:"own"`
}

func newHardwareJSON(h catalog.Hardware) hardwareJSON {
	return hardwareJSON{
		Name: h.Name, Vendor: h.Vendor, Family: h.Family,
		MemoryGB: known(float64(h.Memory)/(1<<30), 0), MemoryType: known(h.MemoryType, ""), BandwidthGBs: h.Bandwidth / 1e9,
		FP16TFLOPS: known(h.FP16/1e12, 0), PortableTFLOPS: known(h.Portable/1e12, 0), FP32TFLOPS: known(h.FP32/1e12, 0),
		INT8TOPS: known(h.INT8/1e12, 0), FP8TFLOPS: known(h.FP8/1e12, 0), FP4TFLOPS: known(h.FP4/1e12, 0), Cores: known(h.Cores, 0),
		Interconnect: h.Interconnect, InterconnectGBs: known(h.Link/1e9, 0), PowerW: known(h.TDP, 0),
		Unverified: h.Unverified, Source: h.Source, ReadOn: known(readOn(h.Own), ""), Own: h.Own,
	}
}
