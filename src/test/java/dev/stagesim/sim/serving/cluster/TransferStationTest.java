package dev.stagesim.sim.serving.cluster;

import static dev.stagesim.sim.serving.cluster.TransferStation.Direction.READ;
import static dev.stagesim.sim.serving.cluster.TransferStation.Direction.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.cluster.TransferStation.Done;
import dev.stagesim.sim.serving.cluster.TransferStation.Lane;
import dev.stagesim.sim.serving.cluster.TransferStation.Tier;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TransferStationTest {
    private static TransferStation station(int readers, int writers, int saturation, double single, int queue) {
        return new TransferStation(
                List.of(new Tier(new Lane(readers, 10, 2), new Lane(writers, 20, 1), saturation, single, queue)));
    }

    @Test
    void servesReadsAndWritesApartWhileBothServersHaveTheirOwn() {
        TransferStation station = station(1, 1, 0, 0, 0);
        station.submit(0, WRITE, 100, 0);
        station.submit(0, READ, 100, 0);
        // The reader is filled first, and takes the write because no read was there.
        assertThat(station.finish()).containsExactly(new Done(2, 60), new Done(1, 120));
    }

    @Test
    void lendsAnIdleServerToTheOtherDirection() {
        TransferStation station = station(1, 1, 0, 0, 0);
        station.submit(0, READ, 100, 0);
        station.submit(0, READ, 100, 0);
        assertThat(station.finish()).containsExactly(new Done(1, 60), new Done(2, 60));
    }

    @Test
    void givesALoneJobItsShareOfTheBandwidth() {
        TransferStation station = station(2, 0, 2, 0.5, 0);
        station.submit(0, READ, 100, 0);
        station.submit(0, READ, 100, 0);
        assertThat(station.finish()).containsExactly(new Done(2, 60), new Done(1, 110));
    }

    @Test
    void refusesWhatTheQueueCannotHold() {
        TransferStation station = station(1, 0, 0, 0, 1);
        assertThat(station.submit(0, READ, 100, 0)).hasValue(1);
        assertThat(station.submit(0, READ, 100, 0)).hasValue(2);
        assertThat(station.submit(0, READ, 100, 0)).isEmpty();
        assertThat(station.advance(60)).containsExactly(new Done(1, 60));
        assertThat(station.submit(0, READ, 100, 60)).hasValue(3);
    }

    @Test
    void holdsTheServerOfAJobWithoutDurationWhileTheTimeStandsStill() {
        TransferStation station = new TransferStation(List.of(new Tier(new Lane(1, 0, 2), new Lane(0, 0, 1), 0, 0, 0)));
        station.advance(5);
        station.submit(0, READ, 0, 5);
        assertThat(station.advance(5)).isEmpty();
        station.submit(0, READ, 20, 5);
        assertThat(station.advance(9)).containsExactly(new Done(1, 5));
        assertThat(station.finish()).containsExactly(new Done(2, 15));
    }
}
