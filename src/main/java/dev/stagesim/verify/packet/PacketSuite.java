package dev.stagesim.verify.packet;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

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
        Path folder = corpus.resolve("cases");
        if (!Files.isDirectory(folder)) {
            return;
        }
        List<Path> cases;
        try (Stream<Path> entries = Files.list(folder)) {
            cases = entries.filter(entry -> Files.isRegularFile(entry.resolve("case.json")))
                    .sorted()
                    .toList();
        }
        for (Path path : cases) {
            results.accept(new PacketCase(path).replay());
        }
    }
}
