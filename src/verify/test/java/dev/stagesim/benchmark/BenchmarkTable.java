package dev.stagesim.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The measured commands. {@code bench.scale} multiplies the sizes in braces. {@code $NAME} is the run of a preparation
 * above.
 */
final class BenchmarkTable {
    /** A command that runs before the measured ones, and a name for its output. */
    record Preparation(String name, String command) {}

    /**
     * A measured command.
     *
     * @param work what the command does; a reference must do the same
     */
    record Row(String id, String work, String command) {}

    /** A command with {@code #} for its size. A preparation, if any, creates the run {@code $W} of each size. */
    record Growth(String id, String unit, List<Long> sizes, String preparation, String command) {}

    private static final String PREPARATIONS =
            """
            W10K  | workload workload=chat_poisson workload.num_requests={10000} arrival.qps=12
            W100K | workload workload=chat_poisson workload.num_requests={100000} arrival.qps=1
            W1M   | workload workload=chat_poisson workload.num_requests={1000000} arrival.qps=12
            RING  | workload workload=chakra_all_reduce workload.num_npus=1024 workload.comm_size={67108864}
            RING4 | workload workload=chakra_all_reduce workload.num_npus=4096 workload.comm_size={67108864}
            CUBE  | workload workload=chakra_all_reduce workload.num_npus=4096 workload.comm_size={16777216}
            STEP  | workload workload=chakra_transformer workload.parallelism={tp:8,pp:8,dp:16}
            """;

    private static final String ROWS =
            """
            help                | help text | --help
            main_job_again      | main job of the README, last stage executed again | compare model=qwen3 hardware=a100 --force
            main_job_reused     | main job of the README, every stage reused | compare model=qwen3 hardware=a100
            compose_job         | composes the same configuration of one job and prints it | vidur_sim --cfg job
            chakra_text         | converts the same text, repeated, to Chakra traces of 8 NPUs | workload workload=chakra_text_example workload.num_passes={10000} --force
            serving_10k         | 10,000 requests with equal lengths and arrivals on both sides, Sarathi, one replica, default outputs | vidur_sim model=llama3_8b engine=sarathi workload.dir=$W10K --force
            serving_10k_rows    | 10,000 requests, one row per token | vidur_sim model=llama3_8b workload.dir=$W10K output.detail=full --force
            serving_100k_sparse | 100,000 requests at a low rate | vidur_sim model=llama3_8b workload.dir=$W100K --force
            serving_1m          | 1,000,000 requests, default outputs | vidur_sim model=llama3_8b workload.dir=$W1M --force
            serving_1m_requests | 1,000,000 requests, request metrics only | vidur_sim model=llama3_8b workload.dir=$W1M simulation.token_metrics=false simulation.batch_metrics=false simulation.report=false simulation.trace_events=0 --force
            plan_dense          | cheapest deployment: Qwen3-32B on H200, 4,000 and 500 tokens, 11.6 requests/s, TTFT 600 ms, TPOT 20 ms | plan model=qwen3_32b hardware=h200 prompt_tokens=4000 output_tokens=500 rate=11.6 slo=ttft_p99_ms<600,tpot_p99_ms<20 --force
            plan_mixture        | cheapest deployment: DeepSeek-V3 on H200, 100 requests/s | plan model=deepseek_v3 hardware=h200 rate=100 slo=ttft_p99_ms<1000,tpot_p99_ms<50 --force
            fleet_100           | 100,000 requests on 100 instances | cluster_sim model=llama3_70b hardware=h100 workload=chat_poisson workload.num_requests={100000} arrival.qps=4800 workload.lengths.prefill.median=60 workload.lengths.decode.median=40 workload.lengths.decode.sigma=0.6 workload.lengths.decode.max=256 workload.sharing.kind=agents workload.sharing.calls=4 workload.sharing.shared_prefix_tokens=512 workload.sharing.tool_result_tokens=128 cluster=round_robin_4 cluster.router.kind=session cluster.pools.all.replicas=100 cluster.pools.all.tp=8 --force
            fleet_4k            | 4,000 requests of 512 and 128 tokens on 4 replicas, round robin | cluster_sim model=llama3_8b hardware=h100 cluster=round_robin_4 requests={4000} rate=80 prompt_tokens=512 output_tokens=128 --force
            fleet_8k            | the same with 8,000 requests | cluster_sim model=llama3_8b hardware=h100 cluster=round_robin_4 requests={8000} rate=80 prompt_tokens=512 output_tokens=128 --force
            forest_cold         | random forests trained on the profile, 1,000 requests | vidur_sim model=llama3_8b workload.num_requests={1000} predictor=random_forest --force
            transformer_1024    | one step of a transformer on 1,024 NPUs, every NPU simulated, order of events of ASTRA-sim | astra_sim workload.dir=$STEP system=dgx_h100 network=dgx_h100 network.topology.npus_count=[8,128] simulation.symmetry=false compat=astra --force
            ring_1024           | all-reduce of 64 MiB on a ring of 1,024 NPUs, every NPU simulated, order of events of ASTRA-sim | astra_sim workload.dir=$RING system=ring network=switch_64 network.topology.npus_count=[1024] simulation.symmetry=false compat=astra --force
            ring_1024_folded    | the same with equal NPUs simulated once | astra_sim workload.dir=$RING system=ring network=switch_64 network.topology.npus_count=[1024] --force
            ring_4096           | all-reduce of 64 MiB on 4,096 NPUs, equal NPUs simulated once | astra_sim workload.dir=$RING4 system=ring network=switch_64 network.topology.npus_count=[4096] system.preferred_dataset_splits=1 --force
            ring_4096_unfolded  | the same with every NPU simulated | astra_sim workload.dir=$RING4 system=ring network=switch_64 network.topology.npus_count=[4096] system.preferred_dataset_splits=1 simulation.symmetry=false --force
            cube_4096           | all-reduce of 16 MiB on a torus of 4,096 NPUs, every NPU simulated, order of events of ASTRA-sim | astra_sim workload.dir=$CUBE system=torus_rings network=torus_4x4x4 network.topology.npus_count=[16,16,16] simulation.symmetry=false compat=astra --force
            packets_8           | all-reduce of 64 MiB on 8 hosts, every frame simulated | astra_sim workload=chakra_all_reduce workload.num_npus=8 workload.comm_size={67108864} system=ring network=packet_star_8 --force
            packets_64          | all-reduce of 16 MiB on 64 hosts, every frame simulated | astra_sim workload=chakra_all_reduce workload.num_npus=64 workload.comm_size={16777216} system=ring network=packet_star_8 network.packet.topology.hosts=64 --force
            packets_1024_dcqcn  | all-reduce of 1 MiB on 1,024 hosts with DCQCN | astra_sim workload=chakra_all_reduce workload.num_npus=1024 workload.comm_size={1048576} system=halving_doubling network=packet_leaf_spine_16 network.packet.topology.hosts=1024 network.packet.topology.per_leaf=32 network.packet.topology.spines=16 network.packet.congestion.kind=dcqcn --force
            systolic_gpt3       | six layers of GPT-3 on a systolic array, results of SCALE-Sim 3 | scale_sim topology=gpt3 compat=v3 --force
            sweep_1000          | 1,000 jobs | workload --multirun workload=chat_poisson workload.num_requests=10 workload.seed=range(0,{1000}) --force
            """;

    private static final String GROWTHS =
            """
            serving by requests        | requests | 1000 10000 100000 1000000 10000000 | workload workload=chat_poisson workload.num_requests=# arrival.qps=12 | vidur_sim model=llama3_8b workload.dir=$W --force
            serving by replicas        | replicas | 1 10 100 1000             | workload workload=chat_poisson workload.num_requests={20000} arrival.qps=12 | vidur_sim model=llama3_8b workload.dir=$W cluster.replicas=# --force
            fleet by requests          | requests | 100 1000 10000 100000     | | cluster_sim model=llama3_70b hardware=h100 workload=chat_poisson workload.num_requests=# arrival.qps=4800 workload.lengths.prefill.median=60 workload.lengths.decode.median=40 workload.lengths.decode.sigma=0.6 workload.lengths.decode.max=256 workload.sharing.kind=agents workload.sharing.calls=4 workload.sharing.shared_prefix_tokens=512 workload.sharing.tool_result_tokens=128 cluster=round_robin_4 cluster.router.kind=session cluster.pools.all.replicas=100 cluster.pools.all.tp=8 --force
            fleet by instances         | instances | 1 10 100 1000            | | cluster_sim model=llama3_70b hardware=h100 workload=chat_poisson workload.num_requests={20000} arrival.qps=15 workload.lengths.prefill.median=60 workload.lengths.decode.median=40 workload.lengths.decode.sigma=0.6 workload.lengths.decode.max=256 workload.sharing.kind=agents workload.sharing.calls=4 workload.sharing.shared_prefix_tokens=512 workload.sharing.tool_result_tokens=128 cluster=round_robin_4 cluster.router.kind=session cluster.pools.all.replicas=# cluster.pools.all.tp=8 --force
            collectives by NPUs        | NPUs     | 16 128 1024 8192          | workload workload=chakra_all_reduce workload.num_npus=# workload.comm_size=1048576 | astra_sim workload.dir=$W system=halving_doubling network=switch_64 network.topology.npus_count=[#] simulation.symmetry=false --force
            folded collectives by NPUs | NPUs     | 64 1024 8192 65536        | workload workload=chakra_all_reduce workload.num_npus=# workload.comm_size=1048576 | astra_sim workload.dir=$W system=halving_doubling network=switch_64 network.topology.npus_count=[#] --force
            packets by bytes           | bytes    | 262144 2621440 26214400 262144000 | | astra_sim workload=chakra_all_reduce workload.num_npus=8 workload.comm_size=# system=ring network=packet_star_8 --force
            packets by hosts           | hosts    | 4 64 512 4096             | | astra_sim workload=chakra_all_reduce workload.num_npus=# workload.comm_size=65536 system=halving_doubling network=packet_star_8 network.packet.topology.hosts=# network.packet.switches.buffer=2000 --force
            traces by micro-batches    | micro-batches | 1 10 100 1000        | workload workload=chakra_transformer workload.micro_batches=# | astra_sim workload.dir=$W system=ring network=switch_64 network.topology.npus_count=[8] --force
            workload by requests       | requests | 1000 10000 100000 1000000 | | workload workload=chat_poisson workload.num_requests=# --force
            sweep by jobs              | jobs     | 1 10 100 1000 10000       | | workload --multirun workload=chat_poisson workload.num_requests=10 workload.seed=range(0,#) --force
            list of runs by runs       | runs     | 1 10 100 1000             | workload --multirun workload=chat_poisson workload.num_requests=10 workload.seed=range(0,#) | runs list
            """;

    /** Minimum size after scaling down, because networks need several NPUs, and powers of two. */
    private static final long MIN_SIZE = 8;

    private BenchmarkTable() {}

    private static List<String[]> cells(String table) {
        List<String[]> all = new ArrayList<>();
        for (String line : table.split("\n", -1)) {
            if (!line.isBlank()) {
                String[] cells = line.split("\\|", -1);
                for (int i = 0; i < cells.length; i++) {
                    cells[i] = cells[i].strip();
                }
                all.add(cells);
            }
        }
        return all;
    }

    static List<Preparation> preparations(double scale) {
        return cells(PREPARATIONS).stream()
                .map(cells -> new Preparation(cells[0], scaled(cells[1], scale)))
                .toList();
    }

    static List<Row> rows(double scale) {
        return cells(ROWS).stream()
                .map(cells -> new Row(cells[0], cells[1], scaled(cells[2], scale)))
                .toList();
    }

    static List<Growth> growths(double scale) {
        List<Growth> all = new ArrayList<>();
        for (String[] cells : cells(GROWTHS)) {
            Map<Long, Boolean> sizes = new LinkedHashMap<>();
            for (String size : cells[2].split(" +", -1)) {
                sizes.put(
                        scale == 1
                                ? Long.parseLong(size)
                                : Math.max(MIN_SIZE, Long.highestOneBit(Math.round(Long.parseLong(size) * scale))),
                        true);
            }
            all.add(new Growth(
                    cells[0], cells[1], List.copyOf(sizes.keySet()), scaled(cells[3], scale), scaled(cells[4], scale)));
        }
        return all;
    }

    private static String scaled(String command, double scale) {
        return java.util.regex.Pattern.compile("\\{(\\d+)}")
                .matcher(command)
                .replaceAll(size -> Long.toString(Math.max(1, Math.round(Long.parseLong(size.group(1)) * scale))));
    }
}
