package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs a page in a real browser with a script of the test, which writes its results to an element {@code results}. */
final class ScriptedPage {
    private ScriptedPage() {}

    /** Returns the browser, or an empty text if none is installed. */
    static String browser() {
        return Stream.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
                .flatMap(name -> Stream.of(System.getenv("PATH").split(":", -1)).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElse("");
    }

    /** Returns the lines that the script wrote. */
    static List<String> reported(Path dir, String html, String script) throws Exception {
        // The page allows only its own script, so the test removes the policy.
        String driven =
                html.replaceFirst("<meta[^>]*Content-Security-Policy[^>]*>", "").replace("</body>", script + "</body>");
        Path page = Files.writeString(dir.resolve("page.html"), driven);
        Path out = dir.resolve("dom.html");
        Process process = new ProcessBuilder(
                        browser(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--user-data-dir=" + dir.resolve("profile"),
                        "--virtual-time-budget=5000",
                        "--dump-dom",
                        page.toUri().toString())
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(2, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        String dom = Files.readString(out);
        assertThat(dom).contains("id=\"results\"");
        String reported = dom.substring(dom.indexOf("id=\"results\">") + 13);
        return reported.substring(0, reported.indexOf("</pre>"))
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .lines()
                .toList();
    }
}
