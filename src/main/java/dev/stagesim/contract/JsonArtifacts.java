package dev.stagesim.contract;

/** The JSON files of run directories; a figure without a value is null. */
public final class JsonArtifacts {
    /** A side of a comparison. */
    private static final String SIDE =
            """
            label | string | What the report calls it.
            run_id | string | Id of the run.
            run_type | string | Stage that made the run.
            sha256 | sha256 | Digest of the run.
            model | string? | Full name of the model; null when unknown.
            hardware | string? | Full name of the accelerator; null when unknown.
            requests | integer | Number of its requests.
            token_times | boolean | Whether it has times of single tokens.
            """;

    /** How a workload of the profiling suite is run. */
    private static final String SETTING =
            """
            device | string | cpu or gpu.
            precision | string | Type that is computed with.
            xla | boolean | Whether the step is compiled.
            inter_threads | integer | Operators at once.
            intra_threads | integer | Threads of one operator.
            batch | integer | Samples of a step.
            """;

    public static final JsonArtifact RUN_META = JsonArtifact.of(
            """
            run_meta.json 2 | What a run is and where it came from; written last, so that a directory with a valid
                    one is finished.
            schema_version | integer | Version of this file's contract.
            run_id | string | Name of the run: the stage and ten hex digits of its question's digest.
            run_type | string | Stage that made it.
            model | string? | Full name of the model; null when the run is about none.
            hardware | string? | Full name of the accelerator; null when the run is about none.
            started_at | instant volatile | When the stage began.
            ended_at | instant volatile | When the stage was done.
            git_commit | string volatile | Commit of the product checkout; unknown outside one.
            git_dirty | boolean? volatile | Whether the checkout had changes; null when unknown.
            env | free volatile | Java, operating system and machine it ran on.
            params | free | The stage's own settings, files replaced by their digests.
            config | object volatile | How the settings were composed; the directory config/ reproduces the run.
              path | string? | Directory of the configs; null when unknown.
              name | string? | Primary config; null for none.
              overrides | strings | Overrides as typed.
            inputs | objects | What the run read.
              role | string | What the input is to the stage; file for plain files.
              path | string volatile | Where it was.
              run_id | string? | Id of the run it is; null for plain files.
              sha256 | sha256 | Digest of its content.
            outputs | objects | What the run wrote, besides this file and config/, sorted by path.
              path | string | Path below the run directory.
              sha256 | sha256 | Digest of the file.
              rows | integer? | Rows of a table, or lines of a JSON-lines file; else null.
            warnings | objects volatile | What the user should know: warnings of the runs it was made from, then its
                    own.
              stage | string | Stage that gave the warning.
              message | string | Text of the warning.
            headlines | numbers | Headline figures by name, unit last in the name.
            checks | objects volatile | Checks that did not hold.
              category | string | Kind of check.
              where | string | What was checked.
              what | string | What was found and expected.
              notes | objects | Further lines.
                label | string | Label of the line.
                text | string | Text of the line.
            """);

    public static final JsonArtifact MEASUREMENT = JsonArtifact.of(
            """
            measurement.json 1 | What a measurement is: where it comes from, how it was made, and what its author
                    published.
            schema_version | integer | Version of this file's contract.
            format | string | Format it was read from.
            model | string | Full name of the model.
            model_as_measured | string? | Name of the model as the source spells it; null when it does not say.
            hardware | string | Full name of the accelerator.
            hardware_stated | boolean | Whether the source says what it was measured on.
            num_requests | integer | Number of requests.
            token_times | boolean | Whether times of tokens or chunks were measured.
            chunks_hold_one_token | boolean | Whether each chunk is known to hold one token.
            weight_read_floor_ns | number? | Time to read the model's active 16-bit weights once; null when the card
                    has no memory bandwidth.
            published | objects | Aggregates that the author published.
              metric | string | ttft, tpot, token_gap, e2e or norm_latency.
              definition | string | Letter of the definition; empty for none.
              statistic | string | mean, max or a percentile such as p99.9.
              value_ns | number | The value.
              [n] | integer | Number of values behind it; absent when not stated.
              [method] | string | Quantile method; absent when not stated.
            warnings | strings | What to know before using it.
            [title] | any | Title. As the source says it; absent when it does not.
            [attribution] | any | Where it was published. As the source says it; absent when it does not.
            [workload] | any | What was asked of the system. As the source says it; absent when it does not.
            [engine] | any | What served the requests. As the source says it; absent when it does not.
            [settings] | any | Settings of the engine and of the client. As the source says it; absent when it does
                    not.
            [clock] | any | What the times were read from. As the source says it; absent when it does not.
            [clock_noise] | any | How late the client of a live measurement was: percentiles of the delay in
                    sending, of a thread's waking, and of round trips that need no computing, in ns. As the source
                    says it; absent when it does not.
            [rates] | any | Rates by name, per second unless the name says otherwise. As the source says it; absent
                    when it does not.
            [definitions] | any | What each metric means there. As the source says it; absent when it does not.
            [samples] | any | Single values that were published. As the source says it; absent when it does not.
            [other_simulations] | any | What others simulated of the same. As the source says it; absent when it
                    does not.
            [notes] | any | What the author adds. As the source says it; absent when it does not.
            """);

    public static final JsonArtifact COMPARISON = JsonArtifact.of(
            """
            comparison.json 1 | What a comparison found; a difference is sim - real, a percentage is of real.
            schema_version | integer | Version of this file's contract.
            quantile_method | string | How quantiles are interpolated.
            interval_level | number | Level of the intervals.
            bootstrap_seed | integer | Seed of the resampling behind the intervals.
            real | object | The side that is compared with.
              ...
            sim | object | The side that is judged.
              ...
            alignment | object | Which requests were compared.
              compared | integer | Requests compared.
              warm_up_excluded | integer | Requests left out as warm-up.
              cancelled | integer | Requests that their client gave up, as planned.
              failed_real | integer | Requests that failed on the real side.
              failed_sim | integer | Requests that failed on the sim side.
              requests_cut | integer | Requests whose sim side was cut to the real side's length.
              sim_tokens_cut | integer | Tokens that were cut.
            verdict | object | Whether the limits hold.
              holds | boolean | Whether all checks hold.
              limits | string | user when the user set limits, else usual.
              checks | objects | The checks.
                name | string | What is checked.
                limit_percent | number | Greatest difference that holds.
                difference_percent | number? | The difference.
                holds | boolean | Whether it holds.
            metrics | objects | Metrics known on both sides.
              metric | string | ttft, tpot, token_gap, e2e or norm_latency.
              definition | string | Letter of the definition; empty where there is only one.
              n_real | integer | Values on the real side.
              n_sim | integer | Values on the sim side.
              statistics | objects | Statistics of both sides.
                statistic | string | mean, p50, ..., p99.9 or max.
                real_ns | number? | Real side.
                sim_ns | number? | Sim side.
                difference_ns | number? | sim - real.
                difference_percent | number? | Difference in percent of real.
                reliable | boolean | False when fewer than ten values are expected beyond the percentile.
                real_interval_ns | interval? | Interval of the real side; null for none.
                sim_interval_ns | interval? | Interval of the sim side; null for none.
                difference_interval_percent | interval? | Interval of the difference; null for none.
              kolmogorov_smirnov | number | Greatest gap between the distribution functions.
              wasserstein1_ns | number | Area between the distribution functions.
              wasserstein1_percent | number? | The same in percent of the real mean.
              bootstrap_resamples | integer | Resamples behind the intervals; 0 for none.
              [paired] | object | Errors request by request; absent when values have no partners.
                n | integer | Pairs.
                mape_percent | number? | Mean absolute percentage error.
                median_ape_percent | number? | Median absolute percentage error.
                smape_percent | number? | Symmetric mean absolute percentage error.
                bias_percent | number? | Mean percentage error.
                mae_ns | number | Mean absolute error.
                rmse_ns | number | Root of the mean squared error.
                pearson | number? | Pearson's correlation.
                spearman | number? | Spearman's rank correlation.
                kendall | number? | Kendall's rank correlation.
                bland_altman_bias_ns | number | Mean difference.
                bland_altman_low_ns | number | Lower limit of agreement.
                bland_altman_high_ns | number | Upper limit of agreement.
            published | objects | Aggregates of real that were only published.
              metric | string | ttft, tpot, token_gap, e2e or norm_latency.
              definition | string | Letter of the definition; empty where there is only one.
              statistic | string | mean, p50, ..., p99.9 or max.
              real_ns | number | Published figure.
              sim_ns | number | Sim side.
              difference_percent | number? | Difference in percent of real.
              n_real | integer? | Values behind the published figure; null when not stated.
              n_sim | integer | Values on the sim side.
            throughput | objects | Rates of both sides.
              quantity | string | What is counted.
              unit | string | Unit of the rate.
              real | number? | Real side.
              sim | number? | Sim side.
              difference_percent | number? | Difference in percent of real.
            diagnosis | objects | What may explain the differences.
              id | string | Short name.
              kind | string | How serious it is.
              title | string | What it is, in one sentence.
              evidence | strings | Figures that speak for it.
              advice | string | What to do.
            [noise] | object | A second measurement; absent when there is none.
              second | object | The second measurement.
                ...
              statistics | objects | Medians and tails of the three runs.
                metric | string | ttft, tpot, e2e or norm_latency.
                statistic | string | p50 or p95.
                real_ns | number? | Real side.
                sim_ns | number? | Sim side.
                again_ns | number? | Second measurement.
                difference_percent | number? | sim - real in percent of real.
                noise_percent | number? | again - real in percent of real.
            [clock_noise] | objects | Medians beside what clocks, sockets and threads of a live measurement add;
                    absent for others.
              metric | string | ttft, tpot or e2e.
              real_ns | number? | Median of the real side.
              sim_ns | number? | Median of the sim side.
              noise_ns | number? | What 95 % of the events were late by at most.
              within | boolean | Whether the difference is no greater.
            """,
            SIDE);

    public static final JsonArtifact ENGINE = JsonArtifact.of(
            """
            engine.json 1 | What a simulated engine worked with, where settings leave it to the memory planner.
            schema_version | integer | Version of this file's contract.
            name | string | Name of the engine.
            num_blocks | integer | KV blocks of a replica.
            block_size | integer | Tokens of a KV block.
            watermark_blocks | integer | Blocks that new requests leave free.
            max_model_len | integer | Longest sequence that memory is planned for, in tokens.
            [scheduler] | string | The engine that formed the batches, where it is one with a prefix cache; the
                    figures below are absent without.
            [prompt_tokens] | integer | Prompt tokens of admitted requests.
            [cached_tokens] | integer | Those that the cache had.
            [preemptions] | integer | Times that a request lost its memory; SGLang's retractions.
            [draft_tokens] | integer | Drafts that were verified.
            [accepted_tokens] | integer | Drafts that were right.
            [waves] | integer | Times that engines which share experts began to run, having paused; the next four figures
                    are there with it.
            [group_steps] | integer | Steps of groups of such engines, each on all of them.
            [dummy_steps] | integer | Steps of one engine that had no request.
            [step_seconds] | number | Time of the steps with requests, over all engines.
            [wait_seconds] | number | Those seconds of it in which engines waited for slower ones.
            [adapter_loads] | integer | LoRA adapters that were loaded into a slot, where there are slots.
            [kv_groups] | string | Kinds of layers that share the blocks, where there are several: for each group what
                    its layers attend to, and tokens of a block.
            """);

    public static final JsonArtifact CALIBRATION = JsonArtifact.of(
            """
            calibration.json 2 | What was fitted to a measured run, and how far the simulation is from it before and
                    after.
            schema_version | integer | Version of this file's contract.
            model | string | Full name of the model.
            hardware | string | Full name of the accelerator.
            real_run | string | Run that was fitted to.
            profile_run | string | Run with the bundle that was calibrated.
            requests_fitted | integer | Requests of the fit.
            requests_held_out | integer | Requests left out of it.
            requests_left_aside | integer | Requests that did not complete as asked: in neither part.
            rounds | integer | Rounds of simulating and fitting.
            settled | boolean | Whether the last round changed nothing of note.
            terms | objects | The terms.
              term | string | Name.
              meaning | string | What it is.
              unit | string | Unit; empty for a factor.
              fitted | boolean | False when it stayed as the bundle has it.
              value | number | The value.
              low | number | Lower end of its 95 % interval.
              high | number | Upper end.
            findings | strings | What speaks against the values: bounds of the fit, more memory bandwidth than there
                    is.
            errors | objects | Errors of the simulation against the measurement, in percent of the measurement.
              part | string | fit, held_out, or cross_validated: every request by a fit to others.
              metric | string | ttft, tpot or e2e.
              n | integer | Requests.
              p50_before_percent | number | Error of the median before.
              p50_after_percent | number | Error of the median after.
              p50_after_low_percent | number | Lower end of its 95 % interval.
              p50_after_high_percent | number | Upper end.
              mean_before_percent | number | Mean absolute error of requests before.
              mean_after_percent | number | Mean absolute error of requests after.
              p50_real_over_before | number | Measured median over the simulated one before.
            """);

    public static final JsonArtifact CATALOG_ENTRY = JsonArtifact.of(
            """
            catalog_entry.json 1 | A workload of a catalog, and which requests stand for its phases.
            schema_version | integer | Version of this file's contract.
            entry | free | The entry as it was given, keys of the user's own included.
            requests | objects | Requests of each phase in trace_lengths.csv; none when nothing is served, or
                    nothing says at what rate.
              phase | string | Name of the phase.
              first_request | integer | Its first request.
              num_requests | integer | Number of its requests.
            """);

    public static final JsonArtifact FABRIC_RECORD = JsonArtifact.of(
            """
            fabric.json 1 | What a workload takes on a target: capacity, latency, power, carbon and cost, each with
                    its range.
            schema_version | integer | Version of this file's contract.
            workload | string | Name of the workload.
            target | string | Name of the target.
            source | string | Where throughput and latency come from.
            track | string | parity or best.
            figures | objects | Figures of the target over the whole schedule.
              name | string | Name, unit last.
              value | number | Best estimate.
              low | number | Lower end of its range.
              high | number | Upper end of its range.
            level | number | Share of the draws that a range holds.
            evidence | strings | Runs and files that the figures come from.
            winner | free? | What the optimiser chose; null when it was not asked.
            calibration | free? | Coefficients fitted to measured runs; null when there were none.
            assumptions | strings | What the figures rest on, with sources.
            """);

    public static final JsonArtifact FRAMEWORK = JsonArtifact.of(
            """
            framework.json 1 | How a workload of the profiling suite ran on a framework: asked for and done, and
                    whether its times add up.
            schema_version | integer | Version of this file's contract.
            label | string | Name in the suite.
            family | string | Family that it belongs to.
            requested | object | What the workload asks for.
              ...
            actual | object | What was done.
              ...
            substitutions | strings | What was done in another way than the workload asks for.
            tensorflow | string | Version of the framework.
            engine | string | Installed engine and its version.
            parameters | integer | Weights that are trained.
            processes | integer | Equal processes that ran one after the other.
            build_ns | integer | Making the graph, first process.
            first_step_ns | integer | The first step, with all that is done once; first process.
            loss_sha256 | strings | Digest of all losses, by process.
            peak_bytes | integer | Greatest resident memory of a process.
            probe_flops_per_ns | number | Rate that a large product reached with the run's threads.
            probe_bytes_per_ns | number | Rate that a long sum reached.
            array | string | Array of systolic_ns.
            clock_ghz | number | Clock of that array.
            accounting | object | What a traced step is made of, the least disturbed one; all 0 without traced
                    steps.
              one_thread | boolean | Whether one thread ran everything.
              traced_step_ns | number | From the call of the framework to the end of the last operation.
              operations_ns | number | Kernels of operations.
              around_ns | number | What the framework does for them before and after their kernels.
              between_ns | number | From one operation to the next, writing the trace included.
              outside_ns | number | A call of the framework that computes nothing, measured apart.
              accounted_over_step | number | The four together over the traced step; more than 1 where they overlap.
              plain_step_ns | number | Shortest training step without tracing.
              operations_over_plain_step | number | Kernels over that step.
              closes | boolean? | Whether the four are within 5 % of the traced step; null unless one thread ran it.
            """,
            SETTING);

    public static final JsonArtifact FRAMEWORK_COMPARISON = JsonArtifact.of(
            """
            framework_comparison.json 1 | What a comparison of a measured suite workload found; a difference is sim
                    - real, a percentage is of real.
            schema_version | integer | Version of this file's contract.
            label | string | Name in the suite.
            family | string | Family that it belongs to.
            real_run | string | Run that is compared.
            sim_run | string? | Run that was given beside it; null without one.
            xla | boolean | Whether the step was compiled; then only whole steps are compared.
            device | string | Device that it ran on.
            step_ns | number | Median training step, without its input.
            input_wait_ns | number | Median wait for a batch; in no other figure.
            forward_pass_ns | number | Median forward pass.
            noise_percent | number | How far medians of equal measurements are apart.
            substitutions | strings | What was done in another way than the workload asks for.
            fitted_on | strings | Workloads of other families that efficiencies were fitted on.
            predictions | objects | Predictions: without any fit first.
              name | string | roofline, array, held_out or sim.
              ns | number | All layers that it covers.
              measured_ns | number? | The same layers, measured; null per step only.
              step_difference_percent | number? | Difference from the whole step.
              fold | number? | Median factor that layers are off; null per step only.
            """);

    private JsonArtifacts() {}
}
