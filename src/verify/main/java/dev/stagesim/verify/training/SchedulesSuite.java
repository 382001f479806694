package dev.stagesim.verify.training;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.training.schedule.Op;
import dev.stagesim.sim.training.schedule.PipelineOrder;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import dev.stagesim.sim.training.schedule.StageTimes;
import dev.stagesim.sim.training.schedule.Timeline;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.DifferenceList;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Timelines of pipeline schedules. */
public final class SchedulesSuite {
    private static final String NAME = "training-schedules";

    /** The suite. */
    public static final Suite SUITE = new Suite(
            NAME,
            "Timelines of pipeline schedules, every time exactly; a folder with"
                    + " cases/<case>/{case,expected}.json.",
            SchedulesSuite::run);

    private SchedulesSuite() {}

    private static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        Path cases = Files.isDirectory(corpus.resolve("cases")) ? corpus.resolve("cases") : corpus;
        CaseFolders.replay(NAME, CaseFolders.in(cases), SchedulesSuite::replay, results);
    }

    private static CaseResult replay(Path folder) throws IOException {
        LocatedJson given = Json.read(folder.resolve("case.json"));
        String name = given.get("schedule").asString().replace('-', '_');
        PipelineSchedule schedule = Arrays.stream(PipelineSchedule.values())
                .filter(candidate -> candidate.id().equals(name))
                .findFirst()
                .orElseThrow(() -> given.get("schedule").expected("a supported schedule"));
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
        Comparison comparison = new Comparison(Json.read(folder.resolve("expected.json")), new DifferenceList());
        comparison.compare(order, timeline);
        return comparison.differences().result(NAME, folder);
    }

    /** The recorded timeline of a case, and where ours differs. */
    private record Comparison(LocatedJson recorded, DifferenceList differences) {
        void compare(PipelineOrder order, Timeline timeline) {
            differences.same("/makespan_ns", recorded.get("makespan_ns").asDouble(), timeline.makespan());
            double[] busy = timeline.busy(order);
            double[] idle =
                    Arrays.stream(busy).map(time -> timeline.makespan() - time).toArray();
            same(recorded.get("busy_ns"), busy);
            same(recorded.get("idle_ns"), idle);
            same(
                    recorded.get("peak_in_flight_chunks"),
                    Arrays.stream(order.peakChunks()).asDoubleStream().toArray());
            if (recorded.find("timeline").isPresent()) {
                List<LocatedJson> ranks = recorded.get("timeline").items();
                differences.same("/timeline", ranks.size(), order.ranks());
                for (int rank = 0; rank < Math.min(ranks.size(), order.ranks()); rank++) {
                    rank(ranks.get(rank), order, timeline, rank);
                }
            }
        }

        private void same(LocatedJson wanted, double[] actual) {
            differences.same(wanted.pointer(), Arrays.toString(wanted.asDoubles()), Arrays.toString(actual));
        }

        private void rank(LocatedJson wanted, PipelineOrder order, Timeline timeline, int rank) {
            int[] ops = order.ops()[rank];
            int at = 0;
            for (LocatedJson item : wanted.items()) {
                if (at >= ops.length) {
                    differences.same(item.pointer(), item.value(), "nothing");
                    return;
                }
                List<LocatedJson> parts = item.items();
                boolean isPair = Op.isJoined(ops[at]);
                String name = Op.name(ops[at]) + (isPair ? "+" + Op.name(ops[at + 1]) : "");
                differences.same(item.pointer() + "/0", parts.get(0).asString(), name);
                differences.same(item.pointer() + "/1", parts.get(1).asDouble(), timeline.start()[rank][at]);
                differences.same(item.pointer() + "/2", parts.get(2).asDouble(), timeline.end()[rank][at]);
                at += isPair ? 2 : 1;
            }
            differences.same(wanted.pointer(), ops.length, at);
        }
    }
}
