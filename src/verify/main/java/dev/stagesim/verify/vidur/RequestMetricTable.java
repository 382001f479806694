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
        onCompletion(new RequestFigures(states), states)
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

    private static Map<String, IntToDoubleFunction> onCompletion(RequestFigures f, RequestStates states) {
        Map<String, IntToDoubleFunction> figures = new LinkedHashMap<>();
        figures.put("request_e2e_time", f::endToEnd);
        figures.put("request_e2e_time_normalized", f::endToEndPerToken);
        figures.put("request_execution_time", f::execution);
        figures.put("request_execution_time_normalized", f::executionPerToken);
        figures.put("request_model_execution_time", f::modelExecution);
        figures.put("request_model_execution_time_normalized", f::modelExecutionPerToken);
        figures.put("request_preemption_time", f::preempted);
        figures.put("request_scheduling_delay", f::schedulingDelay);
        figures.put("request_execution_plus_preemption_time", f::executionPlusPreempted);
        figures.put("request_execution_plus_preemption_time_normalized", f::executionPlusPreemptedPerToken);
        figures.put("prefill_e2e_time", f::timeToFirstToken);
        figures.put("prefill_time_execution_plus_preemption", f::prefillPlusPreempted);
        figures.put("prefill_time_execution_plus_preemption_normalized", f::prefillPlusPreemptedPerToken);
        figures.put("decode_time_execution_plus_preemption_normalized", f::decodePerToken);
        figures.put("request_num_restarts", states::restarts);
        return figures;
    }
}
