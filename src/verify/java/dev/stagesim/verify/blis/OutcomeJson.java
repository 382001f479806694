package dev.stagesim.verify.blis;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.cluster.BlisInstance;
import dev.stagesim.sim.serving.cluster.BlisOutcome;
import dev.stagesim.sim.serving.cluster.BlisRequest;
import dev.stagesim.sim.serving.cluster.SplitRequest;
import dev.stagesim.verify.JsonParts;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** The outcome of a run in the form in which it was recorded. */
final class OutcomeJson {
    private final BlisOutcome outcome;
    private final CaseConfig config;

    OutcomeJson(BlisOutcome outcome, CaseConfig config) {
        this.outcome = outcome;
        this.config = config;
    }

    JsonValue toJson() {
        JsonParts json = new JsonParts()
                .with(
                        "requests",
                        JsonParts.list(outcome.requests().stream()
                                .map(OutcomeJson::request)
                                .toList()))
                .with(
                        "instances",
                        JsonParts.list(
                                outcome.instances().stream().map(this::instance).toList()))
                .with("totals", totals().object())
                .with(
                        "routes",
                        JsonParts.list(outcome.routes().stream()
                                .map(OutcomeJson::route)
                                .toList()))
                .with(
                        "refusals",
                        JsonParts.list(outcome.refusals().stream()
                                .map(refusal -> new JsonParts()
                                        .with("id", refusal.request())
                                        .with("t", refusal.at())
                                        .with("reason", refusal.reason()))
                                .toList()));
        if (config.hasPools()) {
            json.with(
                            "disaggregated",
                            JsonParts.list(outcome.splits().stream()
                                    .map(OutcomeJson::split)
                                    .toList()))
                    .with(
                            "disaggregation_decisions",
                            JsonParts.list(outcome.splitDecisions().stream()
                                    .map(decision -> new JsonParts()
                                            .with("id", decision.request())
                                            .with("t", decision.at())
                                            .with("disaggregate", decision.isSplit()))
                                    .toList()));
        }
        return json.object();
    }

    private static JsonParts request(BlisRequest request) {
        BlisRequest.Spec spec = request.spec();
        JsonParts json = new JsonParts()
                .with("id", spec.id())
                .with("arrival_us", spec.arrival())
                .with("prompt_tokens", spec.prompt().length);
        request.instance().ifPresent(name -> json.with("instance", name));
        request.ttft().ifPresent(time -> json.with("ttft_us", time));
        request.e2e().ifPresent(time -> json.with("e2e_us", time));
        request.schedulingDelay().ifPresent(time -> json.with("sched_delay_us", time));
        request.meanGap().ifPresent(time -> json.with("itl_mean_us", time));
        if (request.enqueuedAt() > 0) {
            json.with("gateway_enqueue_us", request.enqueuedAt()).with("gateway_dispatch_us", request.dispatchedAt());
        }
        if (request.timedOut()) {
            json.with("timed_out", true);
        }
        if (!spec.session().isEmpty()) {
            json.with("session", spec.session()).with("round", spec.round());
        }
        return json;
    }

    private JsonParts instance(BlisInstance instance) {
        JsonParts json = new JsonParts()
                .with("id", instance.name())
                .with("state", instance.life().toString())
                .with("completed", instance.completed())
                .with("preemptions", instance.preemptions())
                .with("peak_kv_blocks", instance.peakBlocks())
                .with("kv_block_us", instance.blockTime())
                .with("cache_hit_rate", instance.hitRate())
                .with("kv_thrashing_rate", instance.thrashingRate())
                .with("steps", instance.steps())
                .with("end_us", instance.end())
                .with("input_tokens", instance.inputTokens())
                .with("output_tokens", instance.outputTokens())
                .with("first_steps_running", ints(instance.runningAtSteps()))
                .with("first_steps_waiting", ints(instance.waitingAtSteps()));
        if (!instance.adapterLoads().isEmpty()) {
            json.with("adapter_loads", counts(instance.adapterLoads()))
                    .with("adapter_evictions", counts(instance.adapterEvictions()));
        }
        return json;
    }

    private static JsonValue.Arr ints(IntList list) {
        return JsonParts.ints(IntStream.range(0, list.size()).map(list::get).toArray());
    }

    private static JsonValue.Obj counts(Map<String, Integer> counts) {
        JsonParts json = new JsonParts();
        counts.forEach(json::with);
        return json.object();
    }

    private static JsonParts route(BlisOutcome.Route route) {
        JsonParts json = new JsonParts()
                .with("id", route.request())
                .with("t", route.at())
                .with("to", route.to());
        if (!route.scores().isEmpty()) {
            JsonParts scores = new JsonParts();
            route.scores().forEach(scores::with);
            json.with("scores", scores.object());
        }
        return json;
    }

    private static JsonParts split(SplitRequest split) {
        return new JsonParts()
                .with("id", split.id())
                .with("blocks", split.blocks())
                .with("prefill", split.prefillBy())
                .with("decode", split.decodeBy())
                .with("encode", split.encodedBy())
                .with("prefill_enqueue_us", split.prefillEnqueuedAt())
                .with("prefill_complete_us", split.prefillDoneAt())
                .with("transfer_start_us", split.transferStartedAt())
                .with("transfer_complete_us", split.transferDoneAt())
                .with("decode_enqueue_us", split.decodeEnqueuedAt())
                .with("completion_us", split.completedAt());
    }

    private JsonParts totals() {
        BlisOutcome.Counts counts = outcome.counts();
        JsonParts json = new JsonParts()
                .with("completed", sum(BlisInstance::completed) - counts.prefillsDone())
                .with("dropped_unservable", sum(BlisInstance::dropped) + counts.droppedTransfers())
                .with("timed_out", sum(BlisInstance::timedOut))
                .with("preemptions", sum(BlisInstance::preemptions))
                .with("length_capped", sum(BlisInstance::cut))
                .with("input_tokens", sum(BlisInstance::inputTokens))
                .with("output_tokens", sum(BlisInstance::outputTokens))
                .with("itl_count", sum(BlisInstance::gaps))
                .with("still_queued", sum(BlisInstance::stillWaiting))
                .with("still_running", sum(BlisInstance::stillRunning) + counts.inTransfer())
                .with("ttft_sum_us", sum(BlisInstance::ttftSum) + counts.ttftCorrection())
                .with(
                        "end_us",
                        outcome.instances().stream()
                                .mapToLong(BlisInstance::end)
                                .max()
                                .orElse(0))
                .with("cache_hit_rate", mean(BlisInstance::hitRate))
                .with("rejected_admission", counts.refusedAdmissions())
                .with("rejected_routing", counts.refusedRoutings())
                .with("rejected_encode_routing", counts.refusedEncodings())
                .with("gateway_left", counts.gatewayWaiting())
                .with("gateway_rejected", counts.gatewayRefused())
                .with("gateway_shed", counts.gatewayShed())
                .with("gateway_expired", counts.gatewayExpired())
                .with("gateway_evicted", counts.gatewayEvicted())
                .with("shed_by_class", counts(counts.shed()));
        if (config.contends()) {
            json.with("peak_transfers", counts.peakTransfers()).with("mean_transfer_depth", counts.meanTransfers());
        }
        return json;
    }

    private long sum(ToLongFunction<BlisInstance> value) {
        return outcome.instances().stream().mapToLong(value).sum();
    }

    private double mean(ToDoubleFunction<BlisInstance> value) {
        double sum = 0;
        for (BlisInstance instance : outcome.instances()) {
            sum += value.applyAsDouble(instance);
        }
        return outcome.instances().isEmpty() ? 0 : sum / outcome.instances().size();
    }
}
