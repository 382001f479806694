package dev.stagesim.stage.compare;

import dev.stagesim.stage.compare.SettingsDiff.Setting;
import java.util.Locale;
import java.util.Map;

/**
 * Facts that a run states about itself. Absent facts are missing from the maps.
 *
 * @param definitions definition of each metric in the words of the source
 */
record Facts(
        Map<Figure, Double> figures,
        Map<Origin, String> origins,
        Map<Metric, String> definitions,
        Map<Setting, String> settings) {
    /** A number and its path in the run's documents. Numbers without a path come from tables. */
    enum Figure {
        DECODE_HOST_US,
        DECODE_STEP_US,
        REQUESTS_LEFT_ASIDE,
        SERVED_LATE_NS,
        WEIGHT_READ_FLOOR_NS("weight_read_floor_ns"),
        PIPELINE_STAGES("cluster.num_pipeline_stages"),
        VIDUR_TOKEN_GAP_NS("other_simulations.vidur.token_gap_p50_ns"),
        VIDUR_TTFT_NS("other_simulations.vidur.ttft_p50_ns"),
        WAKE_LATE_NS("clock_noise.wake_late_p95_ns"),
        SEND_DELAY_NS("clock_noise.send_delay_p95_ns"),
        ROUND_TRIP_NS("clock_noise.round_trip_p95_ns"),
        OUTPUT_TOKENS_PER_S("rates.output_tokens_per_s"),
        TOTAL_TOKENS_PER_S("rates.total_tokens_per_s"),
        REQUESTS_PER_S("rates.requests_per_s"),
        COMPLETED("settings.completed"),
        NUM_REQUESTS("settings.num_requests"),
        NUM_PROMPTS("settings.num_prompts");

        final String path;

        Figure() {
            this("");
        }

        Figure(String path) {
            this.path = path;
        }
    }

    /** Description of the origin of the run's values, for the report. */
    enum Origin {
        MEASUREMENT("title"),
        ENGINE("engine.name"),
        SOURCE("attribution.source"),
        DATE("attribution.date"),
        USE("attribution.use"),
        WORKLOAD("workload.description"),
        CLOCK("clock");

        final String path;

        Origin(String path) {
            this.path = path;
        }

        String title() {
            return ComparisonText.capital(name().toLowerCase(Locale.ROOT));
        }
    }
}
