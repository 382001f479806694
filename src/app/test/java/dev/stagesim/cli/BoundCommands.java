package dev.stagesim.cli;

import dev.stagesim.config.bind.BoundedKey;
import dev.stagesim.pipeline.RunSettings;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Commands of all stages, each with one key at a bound. */
final class BoundCommands {
    /** The stages, with the arguments that shorten their runs. */
    private static final Map<String, String> STAGES = Map.ofEntries(
            Map.entry("workload", "workload.num_requests=3"),
            Map.entry("real_bench", ""),
            Map.entry("vidur_profile", ""),
            Map.entry("vidur_sim", "workload.num_requests=3"),
            Map.entry("compare", ""),
            Map.entry("calibrate", ""),
            Map.entry("serve_mock", "server.port=0 server.stop_after=0.01"),
            Map.entry("scale_sim", ""),
            Map.entry("astra_sim", ""),
            Map.entry("fabric", ""),
            Map.entry("train_plan", ""),
            Map.entry("cluster_sim", "workload.num_requests=5"),
            Map.entry("plan", "requests=100"));

    /** Arguments that choose a variant or that a key needs to have an effect, and examples of user-defined names. */
    private static final String CHOICES =
            """
            workload.kind=catalog                      | workload=catalog
            workload.kind=mnk                          | workload=mnk_transformer
            workload.kind=chakra_text                  | workload=chakra_text_example
            workload.kind=chakra_generate              | workload=chakra_transformer
            workload.kind=chakra_pytorch               | workload=pytorch_example
            workload.kind=pytorch_synthetic            | workload=pytorch_synthetic
            workload.kind=tf                           | workload=tf/mlp_a
            workload.lengths.kind=prompts              | workload=chat_prompts
            workload.lengths.kind=trace                | workload=azure_conv workload.file=tests-data/traces/azure_2023.csv
            workload.lengths.kind=empirical            | workload=azure_conv workload.file=tests-data/traces/azure_2023.csv workload.lengths.kind=empirical
            workload.rows                              | workload=azure_conv workload.file=tests-data/traces/azure_2023.csv
            workload.model                             | +model@workload.model=llama3_8b
            workload.hardware                          | +hardware@workload.hardware=h100
            arrival.kind=fixed                         | arrival=fixed
            arrival.kind=gamma                         | arrival=gamma
            cluster.pools.<name>.hardware              | +hardware@cluster.pools.decode.hardware=h100
            cluster.pools.<name>.scaling               | cluster=autoscale
            cluster.pools.<name>.tiers                 | cluster=tiered_4
            cluster.gateway.tenants                    | cluster=tenants_4
            cluster.sessions                           | cluster=sessions_4 workload.sharing.kind=sessions
            cluster.start                              | cluster=autoscale
            cluster.router                             | cluster=round_robin_4
            search.output_hardware                     | search.pools=true +hardware@search.output_hardware=h100
            scheduler.kind=vllm_v1                     | engine=vllm_v1
            scheduler.kind=sglang                      | engine=sglang
            scheduler.kind=vllm                        | scheduler=vllm
            scheduler.kind=orca                        | scheduler=orca
            scheduler.kind=lightllm                    | scheduler=lightllm
            scheduler.kind=faster_transformer          | scheduler=faster_transformer
            predictor.kind=random_forest               | predictor=random_forest
            predictor.kind=linear_regression           | predictor=linear_regression
            predictor.kind=tables                      | predictor=tables
            profile.profiler=reference                 | profile=reference
            network.topology.kind=fat_tree             | network=fat_tree_128
            network.topology.kind=dragonfly            | network=dragonfly_72
            network.packet                             | network=packet_star_8
            network.packet.topology.kind=star          | network=packet_star_8
            network.packet.topology.kind=leaf_spine    | network=packet_leaf_spine_16
            network.packet.topology.kind=fat_tree      | network=packet_fat_tree_16
            network.packet.topology.kind=rail          | network=packet_rail_16
            network.packet.topology.kind=dragonfly     | network=packet_dragonfly_12
            network.packet.topology.kind=torus         | network=packet_torus_4x4
            memory.kind=per_npu                        | memory=per_npu
            memory.kind=pool                           | memory=pool
            """;

    private static final Map<String, String> NAMES = Map.of(
            "cluster.pools.<name>.scaling", "cluster.pools.all.scaling",
            "cluster.pools.<name>.tiers", "cluster.pools.all.tiers",
            "cluster.pools.<name>", "cluster.pools.decode",
            "cluster.gateway.tenants.<name>", "cluster.gateway.tenants.busy",
            "cluster.failures.times.<name>", "cluster.failures.times.link",
            "engines.<name>", "engines.vllm_v1",
            "targets.<name>", "targets.h100_8x");

    /** Keys that set an amount of work. Their maximum takes too long by design. */
    private static final Set<String> AMOUNTS = Set.of(
            "search.requests",
            "search.simulations",
            "calibrate.resamples",
            "workload.num_passes",
            "workload.npus",
            "workload.num_npus",
            "workload.events",
            "workload.ranks",
            "workload.duration",
            "server.stop_after",
            "server.stop_after_requests",
            "regret.replays",
            "uncertainty.draws");

    private BoundCommands() {}

    static List<String> stages() {
        return STAGES.keySet().stream().sorted().toList();
    }

    /** Returns the arguments that shorten a run of the stage. */
    static String shortened(String stage) {
        return STAGES.getOrDefault(stage, "");
    }

    /** Returns the commands of all stages. */
    static List<String> all() {
        return stages().stream().flatMap(stage -> of(stage).stream()).toList();
    }

    /**
     * Returns commands with every bounded key of a stage at its bounds. Only {@code workload} tests kinds other than
     * requests.
     */
    static List<String> of(String name) {
        Stage<?> stage = StageRegistry.standard().find(name).orElseThrow();
        return Stream.concat(
                        BoundedKey.of(stage.spec().settings()).stream(),
                        name.equals("vidur_sim") ? BoundedKey.of(RunSettings.class).stream() : Stream.of())
                .filter(key -> isAtHome(name, key) && !AMOUNTS.contains(key.path()))
                .flatMap(key -> commands(name, key).stream())
                .toList();
    }

    private static boolean isAtHome(String stage, BoundedKey key) {
        List<String> kinds = key.kinds();
        String defaultKind = stage.equals("fabric") ? "workload.kind=catalog" : "workload.kind=serving";
        boolean isUsual = kinds.contains(defaultKind)
                && !List.of("astra_sim", "scale_sim").contains(stage);
        return isUsual
                || stage.equals("workload")
                || kinds.stream().noneMatch(kind -> kind.startsWith("workload.kind="));
    }

    private static List<String> commands(String stage, BoundedKey key) {
        List<String> words = new ArrayList<>(List.of(stage));
        if (key.kinds().stream().noneMatch(kind -> kind.matches("workload.kind=(?!serving).*"))) {
            words.add(STAGES.get(stage));
        }
        words.addAll(choices(key));
        key.kinds().stream().filter(kind -> !isChosen(kind)).forEach(words::add);
        if (key.kinds().stream().noneMatch(BoundCommands::isChosen)) {
            words.addAll(key.required());
        }
        words.add(key.path() + "=");
        String command = String.join(" ", words).replaceAll(" +", " ");
        // The longest name first.
        List<String> names = NAMES.keySet().stream()
                .sorted(Comparator.comparing(String::length).reversed())
                .toList();
        for (String name : names) {
            command = command.replace(name, NAMES.get(name));
        }
        String start = command;
        return key.values().stream().map(value -> start + value).toList();
    }

    private static List<String> choices(BoundedKey key) {
        boolean hasShape = key.kinds().stream().anyMatch(kind -> kind.contains("topology.kind"));
        return CHOICES.lines()
                .map(line -> line.split(" *\\| ", 2))
                .filter(choice -> key.kinds().contains(choice[0])
                        || (!hasShape && key.path().startsWith(choice[0])))
                .map(choice -> choice[1])
                .toList();
    }

    private static boolean isChosen(String kind) {
        return CHOICES.lines().anyMatch(line -> line.startsWith(kind + " "));
    }
}
