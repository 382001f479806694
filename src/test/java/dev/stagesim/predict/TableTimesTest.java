package dev.stagesim.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import org.junit.jupiter.api.Test;

class TableTimesTest {
    private final TableTimes times = TableTimes.builder(64)
            .add(Operator.ATTN_PRE_PROJ, 1, 10, 0.5)
            .add(Operator.ATTN_PRE_PROJ, 11, 20, 0.75)
            .add(Operator.SCHEDULE, 1, 4, 0.1)
            .add(Operator.ATTN_DECODE, 1, 2, 0, 128, 1.5)
            .add(Operator.ATTN_DECODE, 1, 1, 192, 192, 2.5)
            .add(Operator.ATTN_DECODE, 2, 2, 192, 192, 3.5)
            .add(Operator.ATTN_PREFILL, 0, 192, 1, 100, 4.5)
            .build();

    @Test
    void findsEveryKeyOfARun() {
        assertThat(times.milliseconds(Operator.ATTN_PRE_PROJ, 10)).isEqualTo(0.5);
        assertThat(times.milliseconds(Operator.ATTN_PRE_PROJ, 11)).isEqualTo(0.75);
        assertThat(times.decodeMilliseconds(2, 128)).isEqualTo(1.5);
        assertThat(times.decodeMilliseconds(1, 192)).isEqualTo(2.5);
        assertThat(times.decodeMilliseconds(2, 192)).isEqualTo(3.5);
        assertThat(times.prefillMilliseconds(192, 100)).isEqualTo(4.5);
        assertThat(times.coverage()).isEqualTo(new OperatorTimes.Coverage(20, 2, 192, 100, 64));
    }

    @Test
    void namesOperatorKeyAndRangeBeyondTheTable() {
        assertThatThrownBy(() -> times.milliseconds(Operator.ATTN_PRE_PROJ, 21))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("attn_pre_proj: token count 21 is outside 1 to 20");
        assertThatThrownBy(() -> times.decodeMilliseconds(3, 0)).hasMessageContaining("batch size 3");
        assertThatThrownBy(() -> times.decodeMilliseconds(1, 256)).hasMessageContaining("KV length 256");
        assertThatThrownBy(() -> times.prefillMilliseconds(0, 101)).hasMessageContaining("chunk 101");
        assertThatThrownBy(() -> times.milliseconds(Operator.ADD, 1)).hasMessageContaining("do not have this operator");
    }

    @Test
    void keysOffTheGridAreOurBug() {
        assertThatThrownBy(() -> times.decodeMilliseconds(1, 65)).isInstanceOf(IllegalStateException.class);
    }
}
