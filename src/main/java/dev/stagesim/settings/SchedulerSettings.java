package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.Optional;

/** How a replica forms its batches: the section {@code scheduler}. One record for each policy. */
public sealed interface SchedulerSettings
        permits SchedulerSettings.Vllm,
                SchedulerSettings.Sarathi,
                SchedulerSettings.Orca,
                SchedulerSettings.FasterTransformer,
                SchedulerSettings.LightLlm {
    /** Most requests that hold KV cache at a time. */
    int batchSizeCap();

    /** Tokens of a KV block. */
    int blockSize();

    /** KV blocks of a replica; empty lets the memory planner say. */
    Optional<Integer> numBlocks();

    /** vLLM's first scheduler. */
    @Variant(
            value = "vllm",
            doc = "Whole prompts first, then decodes; restarts the latest request when memory runs out.")
    record Vllm(
            @Key(doc = "Most requests that hold KV cache at a time.", unit = "requests", def = "128", min = "1")
                    int batchSizeCap,
            @Key(doc = "Size of a KV block.", unit = "tokens", def = "16", min = "1") int blockSize,
            @Key(doc = "Share of the KV blocks that new requests leave free.", def = "0.01", min = "0", max = "1")
                    double watermarkBlocksFraction,
            @Key(
                            doc = "KV blocks of a replica; null for what the memory planner finds.",
                            unit = "blocks",
                            def = "null",
                            min = "1")
                    Optional<Integer> numBlocks,
            @Key(
                            doc = "Most prompt tokens in a batch, each prompt padded to the longest.",
                            unit = "tokens",
                            def = "4096",
                            min = "1")
                    int maxTokensInBatch)
            implements SchedulerSettings {}

    /** Sarathi-Serve. */
    @Variant(value = "sarathi", doc = "All decodes, and chunks of prompts up to a token budget, in every batch.")
    record Sarathi(
            @Key(doc = "Most requests that hold KV cache at a time.", unit = "requests", def = "128", min = "1")
                    int batchSizeCap,
            @Key(doc = "Size of a KV block.", unit = "tokens", def = "16", min = "1") int blockSize,
            @Key(doc = "Share of the KV blocks that new requests leave free.", def = "0.01", min = "0", max = "1")
                    double watermarkBlocksFraction,
            @Key(
                            doc = "KV blocks of a replica; null for what the memory planner finds.",
                            unit = "blocks",
                            def = "null",
                            min = "1")
                    Optional<Integer> numBlocks,
            @Key(
                            doc = "Token budget of a batch that chunks of prompts fill up.",
                            unit = "tokens",
                            def = "512",
                            min = "1")
                    int chunkSize)
            implements SchedulerSettings {}

    /** Orca. */
    @Variant(value = "orca", doc = "Prompts and decodes mixed; every request reserves the longest sequence's memory.")
    record Orca(
            @Key(doc = "Most requests in a batch.", unit = "requests", def = "128", min = "1") int batchSizeCap,
            @Key(doc = "Size of a KV block.", unit = "tokens", def = "16", min = "1") int blockSize,
            @Key(
                            doc = "KV blocks of a replica; null for what the memory planner finds.",
                            unit = "blocks",
                            def = "null",
                            min = "1")
                    Optional<Integer> numBlocks)
            implements SchedulerSettings {}

    /** FasterTransformer. */
    @Variant(value = "faster_transformer", doc = "Static batches that run until their last request is done.")
    record FasterTransformer(
            @Key(doc = "Most requests in a batch.", unit = "requests", def = "128", min = "1") int batchSizeCap,
            @Key(doc = "Size of a KV block.", unit = "tokens", def = "16", min = "1") int blockSize,
            @Key(
                            doc = "KV blocks of a replica; null for what the memory planner finds.",
                            unit = "blocks",
                            def = "null",
                            min = "1")
                    Optional<Integer> numBlocks)
            implements SchedulerSettings {}

    /** LightLLM. */
    @Variant(value = "lightllm", doc = "Memory counted in tokens; admits by a forecast of the running requests' peak.")
    record LightLlm(
            @Key(doc = "Most requests that hold KV cache at a time.", unit = "requests", def = "128", min = "1")
                    int batchSizeCap,
            @Key(doc = "Size of a KV block; this scheduler takes 1 only.", unit = "tokens", def = "1", min = "1")
                    int blockSize,
            @Key(
                            doc = "Tokens of KV cache of a replica; null for what the memory planner finds.",
                            unit = "tokens",
                            def = "null",
                            min = "1")
                    Optional<Integer> numBlocks,
            @Key(doc = "Most prompt tokens in a batch.", unit = "tokens", def = "4096", min = "1") int maxTokensInBatch,
            @Key(
                            doc = "Decode steps after which waiting requests are looked at again.",
                            unit = "steps",
                            def = "10",
                            min = "0")
                    int maxWaitingIters)
            implements SchedulerSettings {}
}
