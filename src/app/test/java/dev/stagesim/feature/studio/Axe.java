package dev.stagesim.feature.studio;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.io.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs the accessibility checks of axe-core in a page. Its script is on the class path of the build. */
final class Axe {
    private Axe() {}

    static void assumeThere() {
        assumeTrue(Axe.class.getResource("/axe.min.js") != null, "no axe-core on the class path");
    }

    /** Returns each broken rule with its elements, or an empty text. */
    static String violations(Browser browser) throws IOException, InterruptedException {
        if (browser.see("typeof axe").equals("undefined")) {
            try (@Nullable InputStream in = Axe.class.getResourceAsStream("/axe.min.js")) {
                String script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                browser.send("Runtime.evaluate", Map.of("expression", JsonValue.of(script + ";0")));
            }
        }
        return browser.see(
                "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v => v.id + ': '"
                        + " + v.nodes.slice(0, 4).map(n => n.target.join(' ') + ' ' + n.failureSummary.split('\\n').slice(1, 2)).join(' | ')).join('\\n'))");
    }
}
