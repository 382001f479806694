package dev.stagesim.io.trace;

import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A trace in JSON documents, one per row. */
abstract class JsonRows extends TraceReader {
    private final JsonDocuments documents;
    private @Nullable LocatedJson row;

    JsonRows(Traits traits, JsonDocuments documents) {
        super(traits);
        this.documents = documents;
    }

    /** Reads a row. An input error makes it a malformed row. */
    abstract Step read(LocatedJson document);

    @Override
    final Step next() throws IOException {
        Optional<LocatedJson> next = documents.next();
        if (next.isEmpty()) {
            return Step.END;
        }
        row = next.get();
        try {
            return read(next.get());
        } catch (StageException e) {
            throw new BadRow(e.problems().get(0));
        }
    }

    @Override
    final Problem problem(String what) {
        return Objects.requireNonNull(row).problem(what);
    }

    @Override
    public final void close() throws IOException {
        documents.close();
    }
}
