package dev.stagesim.sim.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class EventCalendarTest {
    @Test
    void runsEqualTimesInOrderOfScheduling() {
        EventCalendar calendar = new EventCalendar();
        calendar.schedule(5, 1);
        calendar.schedule(0, 2);
        calendar.schedule(5, 3);
        assertThat(calendar.nextTime()).isZero();
        assertThat(calendar.take()).isEqualTo(2);
        assertThat(calendar.take()).isEqualTo(1);
        calendar.schedule(5, 4);
        assertThat(calendar.take()).isEqualTo(3);
        assertThat(calendar.take()).isEqualTo(4);
        assertThat(calendar.hasNext()).isFalse();
        calendar.schedule(5, 5);
        assertThat(calendar.hasNext()).isTrue();
        assertThat(calendar.take()).isEqualTo(5);
        assertThat(calendar.now()).isEqualTo(5);
        assertThat(calendar.handled()).isEqualTo(5);
    }

    @Test
    void rejectsTimesInThePast() {
        EventCalendar calendar = new EventCalendar();
        calendar.schedule(5, 1);
        calendar.take();
        assertThatThrownBy(() -> calendar.schedule(4, 2)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void agreesWithAMapOfLists() {
        for (int seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            EventCalendar calendar = new EventCalendar();
            TreeMap<Long, ArrayDeque<Long>> model = new TreeMap<>();
            long made = 0;
            int span = 1 + random.nextInt(2000);
            for (int step = 0; step < 5000; step++) {
                if (random.nextInt(100) < 52) {
                    long at = calendar.now() + random.nextInt(span);
                    calendar.schedule(at, made);
                    model.computeIfAbsent(at, unused -> new ArrayDeque<>()).add(made++);
                } else if (calendar.hasNext()) {
                    long time = calendar.nextTime();
                    assertThat(time).isEqualTo(model.firstKey());
                    assertThat(calendar.take()).isEqualTo(model.get(time).remove());
                    assertThat(calendar.now()).isEqualTo(time);
                    if (model.get(time).isEmpty()) {
                        model.remove(time);
                    }
                }
                assertThat(calendar.hasNext()).isEqualTo(!model.isEmpty());
            }
        }
    }
}
