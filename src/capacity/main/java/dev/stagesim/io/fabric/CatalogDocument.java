package dev.stagesim.io.fabric;

import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.Member;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The artifact {@code catalog_entry.json}: a catalog workload and the requests generated for its phases. */
@Member("catalog_entry.json 1 | A workload of a catalog, and the requests of its phases.")
public record CatalogDocument(
        @Member(value = "The entry as given, including unused keys.", kind = "free") JsonValue.Obj entry,
        @Member("Requests of each phase in trace_lengths.csv; empty for training, or without a request rate.")
                List<Part> requests) {
    public static final String FILE = JsonArtifact.of(CatalogDocument.class).name();

    /** Reads the document of a run. */
    public static CatalogDocument read(Path file) throws IOException {
        return JsonBinder.OWN.read(file, CatalogDocument.class, JsonArtifact.of(CatalogDocument.class));
    }

    /** Requests of a phase. */
    public record Part(
            @Member("Name of the phase.") String phase,
            @Member("Its first request.") int firstRequest,
            @Member("Number of its requests.") int numRequests) {}
}
