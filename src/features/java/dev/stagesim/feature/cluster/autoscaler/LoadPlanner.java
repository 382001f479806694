package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Profile;
import dev.stagesim.feature.cluster.instance.ThroughputCounters;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * NVIDIA Dynamo's planner by load: one instance more or less at a look, by what waits on each and by its memory, or by the times
 * that follow from them.
 */
public final class LoadPlanner implements Scaler {
    /** What is aimed at. */
    public enum Target {
        SLA, // Times to the first token and between tokens, as the step model foresees them.
        THROUGHPUT, // Full queues and full memory.
        LATENCY // Short queues and much free memory.
    }

    /** Its section. */
    @Variant(
            "sla_load | As NVIDIA Dynamo's planner by load: one instance more or less at a look, by the prompts that wait on each and"
                    + " the memory in use.")
    public record Settings(
            @Key("What is aimed at. | sla") Target aim,
            @Key("Time to the first token. | 500 | ms | 0.001..1000000000")
                    @OnlyIf("aim = sla | queues and memory are looked at | set aim=sla")
                    double firstMs,
            @Key("Time between two tokens. | 50 | ms | 0.001..1000000000")
                    @OnlyIf("aim = sla | queues and memory are looked at | set aim=sla")
                    double gapMs,
            @Key("Part of that up to which the others may come when an instance goes. | 0.8 | 0..1")
                    @OnlyIf("aim = sla | queues and memory are looked at | set aim=sla")
                    double sensitivity,
            @Key("Time between two looks. | 5 | s | 0.1..86400") double intervalS,
            @Key("The planner by throughput, which says how many there are at least; null for none. | null")
                    Optional<Sla.Settings> floor)
            implements ScalerSettings {
        @Override
        public Scaler make() {
            throw new IllegalStateException("a planner needs to know its instances");
        }

        @Override
        public Scaler make(PoolPlan pool) {
            return new LoadPlanner(
                    this,
                    pool.role(),
                    Profile.of(pool),
                    pool.kvTokens(),
                    pool.spec().maxTokens());
        }
    }

    /** What is wrong with settings: the other planner looks at some of the looks; empty when nothing is. */
    public static Optional<String> problem(Settings settings) {
        double times =
                settings.floor().map(Sla.Settings::intervalS).orElse(settings.intervalS()) / settings.intervalS();
        return times > 0.5 && Math.abs(times - Math.rint(times)) < 1e-9
                ? Optional.empty()
                : Optional.of("is " + settings.floor().orElseThrow().intervalS() + ", not a multiple of the rule's"
                        + " interval_s, " + settings.intervalS());
    }

    private final Settings settings;
    private final PoolRole role;
    private final Profile profile;
    private final double memory;
    private final double longest;
    private final @Nullable Sla floor;
    private ThroughputCounters.Sums traffic = ThroughputCounters.Sums.NONE;
    private List<Each> each = List.of();
    private double nextFloor;
    private int least;

    LoadPlanner(Settings settings, PoolRole role, Profile profile, double memory, double longest) {
        this.settings = settings;
        this.role = role;
        this.profile = profile;
        this.memory = memory;
        this.longest = longest;
        floor = settings.floor()
                .map(set -> new Sla(set, role == PoolRole.PREFILL, profile))
                .orElse(null);
        nextFloor = settings.floor().map(Sla.Settings::intervalS).orElse(Double.POSITIVE_INFINITY);
    }

    @Override
    public double nextTime(double at) {
        return at + settings.intervalS();
    }

    @Override
    public void observe(ThroughputCounters.Sums sums) {
        traffic = sums;
    }

    @Override
    public void observe(List<Each> ready) {
        each = ready;
    }

    @Override
    public int desired(Load load) {
        if (floor != null && load.now() >= nextFloor - settings.intervalS() / 2) { // times are sums, and inexact
            floor.observe(traffic);
            least = floor.floor(load, least);
            nextFloor += settings.floor().orElseThrow().intervalS();
        }
        if (load.starting() > 0 || each.isEmpty()) {
            return load.instances(); // what was ordered is waited for
        }
        return Math.max(each.size() + change(), least);
    }

    /** One more, one less, or none. */
    private int change() {
        if (settings.aim() != Target.SLA) {
            return role == PoolRole.PREFILL ? byQueue() : byMemory();
        }
        if (traffic.arrived() == 0 || traffic.completed() == 0) {
            return 0;
        }
        int prompts = role == PoolRole.DECODE ? byGap() : byFirst();
        int outputs = role == PoolRole.PREFILL ? prompts : byGap();
        return prompts > 0 || outputs > 0 ? 1 : prompts < 0 && outputs < 0 ? -1 : 0;
    }

    private int byQueue() {
        boolean isLatency = settings.aim() == Target.LATENCY;
        double up = isLatency ? 0.1 : 1;
        double down = isLatency ? Double.MIN_VALUE : 0.1;
        if (each.stream().anyMatch(one -> one.queuedTokens() / longest >= up)) {
            return 1;
        }
        return less(each.stream().allMatch(one -> one.queuedTokens() / longest < down));
    }

    private int byMemory() {
        boolean isLatency = settings.aim() == Target.LATENCY;
        if (each.stream().anyMatch(one -> one.tokens() / memory > (isLatency ? 0.4 : 1))) {
            return 1;
        }
        return less(each.stream().allMatch(one -> one.tokens() / memory < (isLatency ? 0.1 : 0.6)));
    }

    private int less(boolean isEnough) {
        return each.size() > 1 && isEnough ? -1 : 0;
    }

    /** How much more each of the others has when one goes. */
    private double more() {
        return each.size() / (each.size() - 1.0);
    }

    private int byFirst() {
        int prompt = (int) Math.max(1, Math.round((double) traffic.promptTokens() / traffic.arrived()));
        double own = profile.promptSeconds(prompt);
        double rate = profile.promptRate(prompt);
        double aim = settings.firstMs() / 1e3;
        if (each.stream().allMatch(one -> one.queuedTokens() / rate + own > aim)) {
            return 1;
        }
        double room = (aim - own) * settings.sensitivity();
        return less(each.stream().allMatch(one -> one.queuedTokens() * more() / rate < room));
    }

    private int byGap() {
        double prompt = (double) traffic.promptTokens() / traffic.arrived();
        int context = (int) Math.max(1, Math.round(prompt + traffic.outputTokens() / (2.0 * traffic.completed())));
        double aim = settings.gapMs() / 1e3;
        if (each.stream().allMatch(one -> gap(one.tokens(), context) > aim)) {
            return 1;
        }
        return less(each.stream()
                .allMatch(one -> one.tokens() * more() < memory
                        && gap(one.tokens() * more(), context) < aim * settings.sensitivity()));
    }

    private double gap(double tokens, int context) {
        return profile.gapSeconds((int) Math.max(1, Math.ceil(tokens / context)), context);
    }
}
