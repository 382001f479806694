package dev.stagesim.model;

/** Format of a workload file. */
public enum TraceFormat {
    AUTO, // Detected from the file's content.
    /** Azure LLM inference traces 2023 and 2024: {@code TIMESTAMP,ContextTokens,GeneratedTokens}. */
    AZURE,
    BURSTGPT, // BurstGPT v1.1 and v1.2 CSV, with or without session columns.
    /** Mooncake JSON lines: {@code timestamp} in ms, {@code input_length}, {@code output_length}, {@code hash_ids}. */
    MOONCAKE,
    /** Qwen-Bailian JSON lines: as Mooncake, but {@code timestamp} in seconds. */
    BAILIAN,
    /** Splitwise simulator CSV: {@code arrival_timestamp,prompt_size,token_size}, seconds. */
    SPLITWISE,
    /**
     * Vidur's processed CSV: {@code num_prefill_tokens,num_decode_tokens}, optionally with {@code arrived_at} in
     * seconds.
     */
    VIDUR,
    /** Any CSV with the columns {@code num_prefill_tokens,num_decode_tokens}, including {@code trace_lengths.csv}. */
    LENGTHS,
    /** CSV with prompt and output tokens under common names such as {@code timestamp,prompt_tokens,completion_tokens}. Times are in seconds, or in the unit that the column names. */
    COLUMNS,
    /** CSV with the column {@code arrival_time}: date and time, or seconds. */
    ARRIVALS,
    /** JSON array of conversations: {@code conversations: [{from, value}]}. */
    SHAREGPT,
    /** JSON lines with a {@code prompt} each. */
    PROMPTS;

    /** True for formats with text, which needs tokenization. */
    public boolean needsTokenizer() {
        return this == PROMPTS || this == SHAREGPT;
    }
}
