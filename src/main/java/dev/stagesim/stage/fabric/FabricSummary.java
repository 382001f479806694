package dev.stagesim.stage.fabric;

import dev.stagesim.report.Markdown;

/** A run at a glance, in Markdown. */
final class FabricSummary {
    private final FabricStageSettings settings;
    private final Result result;
    private final Wording wording;

    FabricSummary(FabricStageSettings settings, Result result, Wording wording) {
        this.settings = settings;
        this.result = result;
        this.wording = wording;
    }

    String markdown() {
        Markdown out = new Markdown().heading(1, wording.title()).paragraph(wording.lead());
        wording.verdicts().forEach(out::paragraph);
        out.heading(2, "Targets side by side")
                .paragraph(wording.compared() + " " + wording.terms())
                .table(wording.sideBySide());
        if (result.asked().refusal().isEmpty()) {
            out.heading(2, "Schedule").table(wording.phases());
        }
        result.stated().ifPresent(run -> out.table(wording.stated(run)));
        if (!result.candidates().isEmpty()) {
            out.heading(2, "Search")
                    .table(wording.fates())
                    .table(wording.front())
                    .table(wording.losers());
            if (settings.optimize() && result.winner().isPresent()) {
                out.paragraph("To run the winner, with RUN for this directory:").code(wording.command());
            }
        }
        result.fit().ifPresent(fit -> out.heading(2, "Calibration").table(fit.table()));
        out.heading(2, "What the figures rest on");
        result.assumptions().forEach(sentence -> out.item("", sentence));
        return out.endList().build();
    }
}
