package dev.stagesim.stage.workload;

import dev.stagesim.contract.WorkloadDocument;
import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.sim.workload.Labels;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.List;
import java.util.Optional;

/**
 * A made serving workload.
 *
 * @param requests lengths and times
 * @param tokens tokens that requests have in common, when any have
 * @param labels what else requests carry, when they carry anything
 * @param texts rows that the requests came from, when they have text
 * @param document summary of the workload, with what the length limit removed
 * @param remarks things the user should know
 */
record Serving(
        RequestTable requests,
        Optional<SharedTokens> tokens,
        Optional<Labels> labels,
        Optional<TraceRows> texts,
        WorkloadDocument document,
        List<String> remarks) {
    Serving {
        remarks = List.copyOf(remarks);
    }

    /** Name of the prompt that a request uses; requests that share a row share it. */
    String promptId(int request) {
        int row = requests.row(request);
        if (row < 0) {
            return "request-" + request;
        }
        String own = texts.map(rows -> rows.id(row)).orElse("");
        return own.isEmpty() ? "row-" + row : own;
    }
}
