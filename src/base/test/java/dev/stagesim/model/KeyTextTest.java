package dev.stagesim.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class KeyTextTest {
    private record Samples(
            @Key("A doc.") int first,
            @Key("A|b. | 10 | s | >0..3600") int second,
            @Key("A. | required | 1..") int third,
            @Key("A. |  | bytes") int fourth,
            @Key("A. | 1 | s | 0..1 | more") int fifth) {}

    @Test
    void splitsTextAtBars() {
        assertThat(of(0)).isEqualTo(new KeyText("A doc.", null, "", "", false, ""));
        assertThat(of(1)).isEqualTo(new KeyText("A|b.", "10", "s", "0", true, "3600"));
        assertThat(of(2)).isEqualTo(new KeyText("A.", null, "", "1", false, ""));
        assertThat(of(3)).isEqualTo(new KeyText("A.", "", "bytes", "", false, ""));
        assertThatThrownBy(() -> of(4)).hasMessageContaining("too many parts");
    }

    private static KeyText of(int component) {
        return KeyText.of(KeyRecord.components(Samples.class).get(component).getAnnotation(Key.class));
    }
}
