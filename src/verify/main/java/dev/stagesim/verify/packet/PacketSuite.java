package dev.stagesim.verify.packet;

import dev.stagesim.verify.Suite;

/** Collective runs on the packet-level network, to the nanosecond. */
public final class PacketSuite {
    /** The suite. */
    public static final Suite SUITE = Suite.ofCases(
            "packet",
            "Runs of ASTRA-sim on its ns-3 network: finish cycles, flows in order, pauses, queues, frames, random"
                    + " streams and events; a folder with"
                    + " cases/<case>/{case.json,expected.json,config.txt,topo.txt,logical.json,system.json,memory.json,traces/}.",
            path -> new PacketCase(path).replay());

    private PacketSuite() {}
}
