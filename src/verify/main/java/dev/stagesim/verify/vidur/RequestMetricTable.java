package dev.stagesim.verify.vidur;

import dev.stagesim.sim.serving.replica.RequestStates;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/** The request metrics of a case in the reference's columns; requests that did not complete have arrival columns only. */
final class RequestMetricTable {
    private RequestMetricTable() {}

    static ActualTable of(RequestStates states, CaseRecorder recorder) {
        Map<String, IntToDoubleFunction> figures = onArrival(states, recorder.interArrival);
        onCompletion(states)
                .forEach((name, figure) ->
                        figures.put(name, r -> states.completed(r) ? figure.applyAsDouble(r) : Double.NaN));
        ActualTable table = new ActualTable(List.copyOf(figures.keySet()));
        for (int request = 0; request < states.size(); request++) {
            if (recorder.arrived[request]) {
                int row = request;
                table.add(figures.values().stream()
                        .map(figure -> figure.applyAsDouble(row))
                        .toArray());
            }
        }
        return table;
    }

    private static Map<String, IntToDoubleFunction> onArrival(RequestStates states, double[] interArrival) {
        Map<String, IntToDoubleFunction> figures = new LinkedHashMap<>();
        figures.put("Request Id", r -> r);
        figures.put("request_inter_arrival_delay", r -> interArrival[r]);
        figures.put("request_num_prefill_tokens", r -> states.trace().prefillTokens(r));
        figures.put("request_num_decode_tokens", r -> states.trace().decodeTokens(r));
        figures.put(
                "request_num_tokens",
                r -> (double) states.trace().prefillTokens(r) + states.trace().decodeTokens(r));
        figures.put("request_pd_ratio", r -> {
            int decode = states.trace().decodeTokens(r);
            return decode == 0 ? Double.NaN : (double) states.trace().prefillTokens(r) / decode;
        });
        return figures;
    }

    /**
     * The metrics of completed requests as the reference defines them, in seconds. "Normalized" divides by the requested tokens,
     * including the first, also in the decode time, although the prefill produces the first one. The lengths are those after
     * restarts.
     */
    static Map<String, IntToDoubleFunction> onCompletion(RequestStates states) {
        IntToDoubleFunction endToEnd = r -> states.completedAt(r) - states.arrivedAt(r);
        IntToDoubleFunction running = r -> states.execution(r) + states.preempted(r);
        IntToDoubleFunction prefill = r -> states.prefillCompletedAt(r) - states.scheduledAt(r);
        Map<String, IntToDoubleFunction> figures = new LinkedHashMap<>();
        figures.put("request_e2e_time", endToEnd);
        figures.put("request_e2e_time_normalized", r -> endToEnd.applyAsDouble(r) / states.decodeTokens(r));
        figures.put("request_execution_time", states::execution);
        figures.put("request_execution_time_normalized", r -> states.execution(r) / states.decodeTokens(r));
        figures.put("request_model_execution_time", states::modelExecution);
        figures.put("request_model_execution_time_normalized", r -> states.modelExecution(r) / states.decodeTokens(r));
        figures.put("request_preemption_time", states::preempted);
        figures.put("request_scheduling_delay", r -> states.scheduledAt(r) - states.arrivedAt(r));
        figures.put("request_execution_plus_preemption_time", running);
        figures.put(
                "request_execution_plus_preemption_time_normalized",
                r -> running.applyAsDouble(r) / states.decodeTokens(r));
        figures.put("prefill_e2e_time", r -> states.prefillCompletedAt(r) - states.arrivedAt(r));
        figures.put("prefill_time_execution_plus_preemption", prefill);
        figures.put(
                "prefill_time_execution_plus_preemption_normalized",
                r -> prefill.applyAsDouble(r) / states.prefillTokens(r));
        figures.put(
                "decode_time_execution_plus_preemption_normalized",
                r -> (states.completedAt(r) - states.prefillCompletedAt(r)) / states.decodeTokens(r));
        figures.put("request_num_restarts", states::restarts);
        return figures;
    }
}
