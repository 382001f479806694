package dev.stagesim.verify.packet;

import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Collective runs on the packet-level network, to the nanosecond. */
public final class PacketSuite implements Suite {
    @Override
    public String name() {
        return "packet";
    }

    @Override
    public String doc() {
        return "Runs of ASTRA-sim on its ns-3 network: finish cycles, flows in order, pauses, queues, frames, random"
                + " streams and events; a folder with"
                + " cases/<case>/{case.json,expected.json,config.txt,topo.txt,logical.json,system.json,memory.json,traces/}.";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        CaseFolders.replay(corpus.resolve("cases"), path -> new PacketCase(path).replay(), results);
    }
}
