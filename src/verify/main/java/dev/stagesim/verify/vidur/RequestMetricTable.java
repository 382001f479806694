package dev.stagesim.verify.vidur;

import dev.stagesim.sim.serving.replica.RequestStates;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** The request metrics of a case in the reference's columns; requests that did not complete have arrival columns only. */
final class RequestMetricTable {
    private RequestMetricTable() {}

    static ActualTable of(RequestStates states, CaseRecorder recorder) {
        int[] arrived = IntStream.range(0, states.size())
                .filter(request -> recorder.arrived[request])
                .toArray();
        ActualTable table = new ActualTable();
        fill(table, onCompletion(new RequestFigures(states, true), states), states, arrived, true);
        fill(table, onArrival(states, recorder.interArrival), states, arrived, false);
        for (int i = 0; i < arrived.length; i++) {
            table.endRow();
        }
        return table;
    }

    private static void fill(
            ActualTable table,
            Map<String, IntToDoubleFunction> figures,
            RequestStates states,
            int[] arrived,
            boolean completedOnly) {
        figures.forEach((name, figure) -> {
            ActualTable.Numbers column = table.numbers(name);
            for (int request : arrived) {
                boolean known = !completedOnly || states.completed(request);
                column.add(known ? figure.applyAsDouble(request) : Double.NaN);
            }
        });
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
