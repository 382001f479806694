package dev.stagesim.contract;

import dev.stagesim.comparison.ComparisonDocument;
import dev.stagesim.feature.suite.measured.SuiteArtifacts;
import dev.stagesim.io.fabric.CatalogDocument;
import dev.stagesim.io.fabric.FabricDocument;
import dev.stagesim.io.measured.MeasurementDocument;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.serving.CalibrationDocument;
import dev.stagesim.serving.EngineDocument;
import dev.stagesim.serving.workload.ClosedLoopDocument;
import dev.stagesim.sweep.SweepSchemas;
import java.util.List;

/** The tables and artifacts that stages exchange, in the order of the reference page. */
public final class Exchanged {
    public static final List<TableSchema> TABLES = List.of(
            Tables.TRACE_LENGTHS,
            Tables.TRACE_INTERVALS,
            Tables.TRACE_TOKENS,
            Tables.TRACE_LABELS,
            Tables.TRACE_RANKS,
            Tables.REQUEST_METRICS,
            Tables.TOKEN_METRICS,
            Tables.BATCH_METRICS,
            SweepSchemas.JOBS,
            SweepSchemas.TOKEN_PERCENTILES);

    public static final List<JsonArtifact> JSON = List.of(
            JsonArtifacts.RUN_META,
            JsonArtifact.of(MeasurementDocument.class),
            JsonArtifact.of(WorkloadDocument.class),
            JsonArtifact.of(ClosedLoopDocument.class),
            JsonArtifact.of(RunConditions.class),
            JsonArtifact.of(EngineDocument.class),
            JsonArtifact.of(ComparisonDocument.class),
            JsonArtifact.of(CalibrationDocument.class),
            JsonArtifact.of(CatalogDocument.class),
            JsonArtifact.of(FabricDocument.class),
            SuiteArtifacts.FRAMEWORK,
            SuiteArtifacts.FRAMEWORK_COMPARISON);

    private Exchanged() {}
}
