package dev.stagesim.sim.serving.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CacheAwareRouterTest {
    private final CacheAwareRouter router = new CacheAwareRouter(CacheAwareRouter.Thresholds.DEFAULT);

    private static List<CacheAwareRouter.Worker> workers(int... loads) {
        List<CacheAwareRouter.Worker> workers = new ArrayList<>();
        for (int load : loads) {
            workers.add(new CacheAwareRouter.Worker("w" + workers.size(), load, true));
        }
        return workers;
    }

    private String choose(String text, List<CacheAwareRouter.Worker> workers) {
        return router.choose(text, workers).name();
    }

    @Test
    void followsAPrefixOfMoreThanHalfOfTheText() {
        assertThat(choose("aaaaaaaaaa", workers(1, 0))).isEqualTo("w1");
        assertThat(choose("aaaaaabbbb", workers(0, 9))).isEqualTo("w1");
        assertThat(choose("aaaaaccccc", workers(0, 9))).isEqualTo("w0");
    }

    @Test
    void followsTheLoadWhenLoadsAreFarApart() {
        assertThat(choose("aaaaaaaaaa", workers(0, 1))).isEqualTo("w0");
        assertThat(choose("aaaaaaaaaa", workers(32, 0))).isEqualTo("w0");
        assertThat(choose("aaaaaaaaaa", workers(33, 0))).isEqualTo("w1");
        assertThat(choose("aaaaaaaaaa", workers(1033, 1000))).isEqualTo("w0");
    }

    @Test
    void forgetsAWorkerThatIsNotHealthy() {
        assertThat(choose("aaaa", workers(1, 1, 0))).isEqualTo("w2");
        List<CacheAwareRouter.Worker> workers = workers(5, 1);
        workers.add(new CacheAwareRouter.Worker("w2", 0, false));

        assertThat(choose("aaaa", workers)).isEqualTo("w0");
        assertThat(router.sizes()).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> router.choose("aaaa", workers.subList(2, 3)));
    }
}
