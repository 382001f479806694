package dev.stagesim.verify.training;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.sim.training.schedule.Op;
import dev.stagesim.sim.training.schedule.PipelineOrder;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import dev.stagesim.sim.training.schedule.StageTimes;
import dev.stagesim.sim.training.schedule.Timeline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Timelines of pipeline schedules. */
public final class SchedulesSuite extends TrainingSuite {
    public SchedulesSuite() {
        super("training-schedules", "Timelines of pipeline schedules, every time exactly");
    }

    @Override
    void replay(Path folder, Expectation expected) throws IOException {
        JsonAt given = read(folder, "case.json");
        String name = given.get("schedule").asString().replace('-', '_');
        PipelineSchedule schedule = Arrays.stream(PipelineSchedule.values())
                .filter(candidate -> candidate.id().equals(name))
                .findFirst()
                .orElseThrow(() -> given.get("schedule").expected("a known schedule"));
        int virtual = given.get("virtual").asInt();
        PipelineOrder order = schedule.order(
                given.get("stages").asInt(), given.get("micro_batches").asInt(), virtual);
        double chunks = (double) order.stages() / given.get("stages").asInt();
        double forward = given.get("forward_ns").asDouble() / chunks;
        double input = given.get("input_gradient_ns").asDouble() / chunks;
        double weight = given.get("weight_gradient_ns").asDouble() / chunks;
        double pair = given.find("overlapped_pair_ns")
                .map(at -> at.asDouble() / chunks)
                .orElse(forward + input + weight);
        Timeline timeline = Timeline.of(
                order,
                StageTimes.equal(
                        order.stages(),
                        forward,
                        input,
                        weight,
                        pair,
                        given.get("transfer_ns").asDouble()));
        compare(expected, order, timeline);
    }

    private static void compare(Expectation expected, PipelineOrder order, Timeline timeline) {
        JsonAt recorded = expected.recorded();
        expected.same("/makespan_ns", recorded.get("makespan_ns").asDouble(), timeline.makespan());
        double[] busy = timeline.busy(order);
        double[] idle =
                Arrays.stream(busy).map(time -> timeline.makespan() - time).toArray();
        same(expected, recorded.get("busy_ns"), busy);
        same(expected, recorded.get("idle_ns"), idle);
        same(
                expected,
                recorded.get("peak_in_flight_chunks"),
                Arrays.stream(order.peakChunks()).asDoubleStream().toArray());
        if (recorded.find("timeline").isPresent()) {
            List<JsonAt> ranks = recorded.get("timeline").items();
            expected.same("/timeline", ranks.size(), order.ranks());
            for (int rank = 0; rank < Math.min(ranks.size(), order.ranks()); rank++) {
                rank(expected, ranks.get(rank), order, timeline, rank);
            }
        }
    }

    private static void same(Expectation expected, JsonAt recorded, double[] actual) {
        expected.same(recorded.pointer(), Arrays.toString(recorded.asDoubles()), Arrays.toString(actual));
    }

    private static void rank(Expectation expected, JsonAt recorded, PipelineOrder order, Timeline timeline, int rank) {
        int[] ops = order.ops()[rank];
        int at = 0;
        for (JsonAt item : recorded.items()) {
            if (at >= ops.length) {
                expected.differ(item.pointer(), item.value(), "nothing");
                return;
            }
            List<JsonAt> parts = item.items();
            boolean isPair = Op.isJoined(ops[at]);
            String name = Op.name(ops[at]) + (isPair ? "+" + Op.name(ops[at + 1]) : "");
            expected.same(item.pointer() + "/0", parts.get(0).asString(), name);
            expected.same(item.pointer() + "/1", parts.get(1).asDouble(), timeline.start()[rank][at]);
            expected.same(item.pointer() + "/2", parts.get(2).asDouble(), timeline.end()[rank][at]);
            at += isPair ? 2 : 1;
        }
        expected.same(recorded.pointer(), ops.length, at);
    }
}
