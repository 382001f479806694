package dev.stagesim.io.trace;

import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.LongIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Trace in JSON lines with {@code timestamp}, {@code input_length}, {@code output_length} and prefix {@code hash_ids}. */
final class JsonTrace extends JsonRows {
    private final long nsPerUnit;
    private final int block;
    private final LongIndex numbers = new LongIndex(1024);
    private long oddBlocks;

    private JsonTrace(JsonDocuments documents, long nsPerUnit, int block) {
        super(new Traits(true, true, false, false, false, block), documents);
        this.nsPerUnit = nsPerUnit;
        this.block = block;
    }

    /** Mooncake: times in milliseconds, prefix blocks of 512 tokens. */
    static TraceReader mooncake(Path file) throws IOException {
        return new JsonTrace(JsonDocuments.open(file, JsonMode.STRICT), 1_000_000L, 512);
    }

    /** Qwen-Bailian: times in seconds, prefix blocks of 16 tokens. */
    static TraceReader bailian(Path file) throws IOException {
        return new JsonTrace(JsonDocuments.open(file, JsonMode.STRICT), 1_000_000_000L, 16);
    }

    @Override
    Step read(LocatedJson row) {
        if (!row.has("timestamp") && row.has("delay")) {
            throw StageException.input(
                    row.problem("the row has a delay after the turn before it instead of a timestamp")
                            .hint("closed-loop sessions have no fixed arrival times; give every row a timestamp"));
        }
        double at = row.get("timestamp").asDouble();
        if (!(at >= 0) || at * nsPerUnit > Long.MAX_VALUE) {
            throw row.get("timestamp").expected("a time from 0 on");
        }
        timeNs = at == Math.rint(at) ? ((long) at) * nsPerUnit : Math.round(at * nsPerUnit);
        prefill = count(row.get("input_length"));
        decode = count(row.get("output_length"));
        blocks = new int[0];
        row.find("hash_ids").ifPresent(this::readBlocks);
        return Step.ROW;
    }

    private void readBlocks(LocatedJson ids) {
        long[] names = ids.asLongs();
        if (names.length != (prefill + block - 1) / block) {
            oddBlocks++;
        }
        blocks = new int[names.length];
        for (int i = 0; i < names.length; i++) {
            int known = numbers.get(names[i]);
            blocks[i] = known == LongIndex.ABSENT ? numbers.size() : known;
            numbers.put(names[i], blocks[i]);
        }
    }

    private static int count(LocatedJson value) {
        int count = value.asInt();
        if (count < 0) {
            throw value.expected("a non-negative integer");
        }
        return count;
    }

    @Override
    Optional<String> remark() {
        return oddBlocks == 0
                ? Optional.empty()
                : Optional.of(oddBlocks + " rows have another number of hash_ids than input_length makes blocks of "
                        + block + " tokens: is this the right workload.format?");
    }
}
