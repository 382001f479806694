package dev.stagesim.stage.workload;

import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.sim.workload.Labels;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.List;
import java.util.Optional;

/**
 * A generated serving workload.
 *
 * @param requests lengths and times
 * @param tokens shared tokens, if any
 * @param labels adapters and priorities, if any
 * @param texts rows of the requests, if they have text
 * @param document summary of the workload, with the truncation by the length limit
 * @param notes which columns of files were recognised
 * @param remarks warnings for the user
 */
record GeneratedRequests(
        RequestTable requests,
        Optional<SharedTokens> tokens,
        Optional<Labels> labels,
        Optional<TraceRows> texts,
        WorkloadDocument document,
        List<String> notes,
        List<String> remarks) {
    GeneratedRequests {
        notes = List.copyOf(notes);
        remarks = List.copyOf(remarks);
    }

    /** Returns the name of a request's prompt; requests of the same row share it. */
    String promptId(int request) {
        int row = requests.row(request);
        if (row < 0) {
            return "request-" + request;
        }
        String id = texts.map(rows -> rows.id(row)).orElse("");
        return id.isEmpty() ? "row-" + row : id;
    }
}
