package dev.stagesim.sim.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TournamentTest {
    @Test
    void findsTheFirstReplicaWithMinimumLoad() {
        SplittableRandom random = new SplittableRandom(3);
        for (int replicas = 1; replicas < 70; replicas++) {
            Tournament least = new Tournament(replicas, 0);
            int[] loads = new int[replicas];
            for (int step = 0; step < 300; step++) {
                if (random.nextInt(3) == 0) {
                    int replica = random.nextInt(replicas);
                    loads[replica] = random.nextInt(6);
                    least.set(replica, loads[replica]);
                } else {
                    int wanted = 0;
                    for (int i = 1; i < replicas; i++) {
                        wanted = loads[i] < loads[wanted] ? i : wanted;
                    }
                    loads[wanted]++;
                    assertThat(least.least())
                            .as("of %d, step %d", replicas, step)
                            .isEqualTo(wanted);
                    assertThat(least.value()).isEqualTo(loads[wanted] - 1);
                    least.add(wanted, 1);
                }
            }
        }
    }
}
