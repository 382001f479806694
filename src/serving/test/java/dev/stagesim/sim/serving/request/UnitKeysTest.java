package dev.stagesim.sim.serving.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.request.RequestSpec.Identity;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class UnitKeysTest {
    private static RequestSpec spec(List<Long> tokens, long salt, int adapter, List<MediaItem> media) {
        Tokens.Builder builder = new Tokens.Builder();
        tokens.forEach(token -> builder.run(token, 1));
        return new RequestSpec(
                0,
                "a",
                tokens.size(),
                RequestSpec.Output.of(1),
                new RequestSpec.Urgency(0, 0),
                new Identity(builder.then(-1_000_000), salt, adapter, true, media));
    }

    /** Compares keys of two texts over a small alphabet with a comparison of their prefixes. */
    @Test
    void givesEqualKeysExactlyForEqualPrefixes() {
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < 3000; round++) {
            int unit = 1 + random.nextInt(4);
            int length = unit * (1 + random.nextInt(6));
            List<Long> a = new ArrayList<>();
            List<Long> b = new ArrayList<>();
            for (int i = 0; i < length; i++) {
                a.add((long) random.nextInt(3));
                b.add(random.nextInt(8) == 0 ? random.nextInt(3) : a.get(i));
            }
            UnitKeys keysOfA = new UnitKeys(spec(a, 0, 0, List.of()), unit);
            UnitKeys keysOfB = new UnitKeys(spec(b, 0, 0, List.of()), unit);
            for (int i = 0; i < length / unit; i++) {
                int end = (i + 1) * unit;
                assertThat(keysOfA.key(i) == keysOfB.key(i))
                        .isEqualTo(a.subList(0, end).equals(b.subList(0, end)));
            }
        }
    }

    @Test
    void distinguishesSaltsAdaptersAndMedia() {
        List<Long> text = List.of(1L, 2L, 3L, 4L);
        long plain = new UnitKeys(spec(text, 0, 0, List.of()), 2).key(1);

        assertThat(new UnitKeys(spec(text, 5, 0, List.of()), 2).key(1)).isNotEqualTo(plain);
        assertThat(new UnitKeys(spec(text, 0, 1, List.of()), 2).key(1)).isNotEqualTo(plain);
        UnitKeys withImage = new UnitKeys(spec(text, 0, 0, List.of(new MediaItem(9, 2, 1))), 2);
        assertThat(withImage.key(0)).isEqualTo(new UnitKeys(spec(text, 0, 0, List.of()), 2).key(0));
        assertThat(withImage.key(1)).isNotEqualTo(plain);
    }

    @Test
    void splitsAndJoinsRuns() {
        Tokens tokens = new Tokens.Builder().run(10, 3).run(13, 2).run(5, 1).then(100);

        assertThat(tokens.runs()).isEqualTo(3);
        assertThat(List.of(tokens.at(0), tokens.at(4), tokens.at(5), tokens.at(6), tokens.at(8)))
                .containsExactly(10L, 14L, 5L, 100L, 102L);
        Tokens part = new Tokens.Builder().part(tokens, 4, 4).then(0);
        assertThat(List.of(part.at(0), part.at(1), part.at(2), part.at(3))).containsExactly(14L, 5L, 100L, 101L);
    }
}
