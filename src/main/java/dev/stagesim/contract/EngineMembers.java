package dev.stagesim.contract;

import static dev.stagesim.contract.JsonField.Type.INTEGER;
import static dev.stagesim.contract.JsonField.Type.STRING;
import static dev.stagesim.contract.JsonField.field;

import java.util.List;

/** The members of {@code engine.json}. */
final class EngineMembers {
    static final JsonArtifact ARTIFACT = new JsonArtifact(
            "engine.json",
            1,
            "What a simulated engine worked with, where settings leave it to the memory planner.",
            List.of(
                    field("schema_version", INTEGER, "Version of this file's contract."),
                    field("name", STRING, "Name of the engine."),
                    field("num_blocks", INTEGER, "KV blocks of a replica."),
                    field("block_size", INTEGER, "Tokens of a KV block."),
                    field("watermark_blocks", INTEGER, "Blocks that new requests leave free."),
                    field("max_model_len", INTEGER, "Longest sequence that memory is planned for, in tokens.")));

    private EngineMembers() {}
}
