package dev.stagesim.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ConsoleTest {
    private static Console console(boolean isTerminal, Map<String, String> environment) {
        return Console.of(System.err, System.err, isTerminal, environment);
    }

    @Test
    void printsColoursOnlyWhenTheTerminalSupportsThem() {
        assertThat(console(true, Map.of("TERM", "xterm-256color")).colour()).isTrue();
        assertThat(console(true, Map.of()).colour()).isTrue();
        assertThat(console(true, Map.of("NO_COLOR", "")).colour()).isFalse();
        assertThat(console(true, Map.of("TERM", "dumb")).colour()).isFalse();
        assertThat(console(false, Map.of("TERM", "xterm")).colour()).isFalse();
    }

    @Test
    void redrawsNoLinesWithADumbTerminal() {
        assertThat(console(true, Map.of("TERM", "dumb")).live()).isFalse();
        assertThat(console(true, Map.of("NO_COLOR", "1")).live()).isTrue();
    }
}
