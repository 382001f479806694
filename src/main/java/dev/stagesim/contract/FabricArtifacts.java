package dev.stagesim.contract;

import static dev.stagesim.contract.JsonField.Type.FREE;
import static dev.stagesim.contract.JsonField.Type.INTEGER;
import static dev.stagesim.contract.JsonField.Type.NUMBER;
import static dev.stagesim.contract.JsonField.Type.OBJECTS;
import static dev.stagesim.contract.JsonField.Type.STRING;
import static dev.stagesim.contract.JsonField.Type.STRINGS;
import static dev.stagesim.contract.JsonField.field;
import static dev.stagesim.contract.JsonField.object;

import java.util.List;

/** The JSON files of capacity planning. */
final class FabricArtifacts {
    private static final String VERSION = "schema_version";
    private static final String VERSION_DOC = "Version of this file's contract.";

    static final JsonArtifact CATALOG_ENTRY = new JsonArtifact(
            "catalog_entry.json",
            1,
            "A workload of a catalog, and which requests stand for its phases.",
            List.of(
                    field(VERSION, INTEGER, VERSION_DOC),
                    field("entry", FREE, "The entry as it was given, keys of the user's own included."),
                    object(
                            "requests",
                            OBJECTS,
                            "Requests of each phase in trace_lengths.csv; none when nothing is served, or nothing says at"
                                    + " what rate.",
                            List.of(
                                    field("phase", STRING, "Name of the phase."),
                                    field("first_request", INTEGER, "Its first request."),
                                    field("num_requests", INTEGER, "Number of its requests.")))));

    static final JsonArtifact RECORD = new JsonArtifact(
            "fabric.json",
            1,
            "What a workload takes on a target: capacity, latency, power, carbon and cost, each with its range.",
            List.of(
                    field(VERSION, INTEGER, VERSION_DOC),
                    field("workload", STRING, "Name of the workload."),
                    field("target", STRING, "Name of the target."),
                    field("source", STRING, "Where throughput and latency come from."),
                    field("track", STRING, "parity or best."),
                    object(
                            "figures",
                            OBJECTS,
                            "Figures of the target over the whole schedule.",
                            List.of(
                                    field("name", STRING, "Name, unit last."),
                                    field("value", NUMBER, "Best estimate."),
                                    field("low", NUMBER, "Lower end of its range."),
                                    field("high", NUMBER, "Upper end of its range."))),
                    field("level", NUMBER, "Share of the draws that a range holds."),
                    field("evidence", STRINGS, "Runs and files that the figures come from."),
                    field("winner", FREE, "What the optimiser chose; null when it was not asked.")
                            .orNull(),
                    field("calibration", FREE, "Coefficients fitted to measured runs; null when there were none.")
                            .orNull(),
                    field("assumptions", STRINGS, "What the figures rest on, with sources.")));

    private FabricArtifacts() {}
}
