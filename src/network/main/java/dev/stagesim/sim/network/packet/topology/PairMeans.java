package dev.stagesim.sim.network.packet.topology;

/**
 * Average properties of the paths between pairs of hosts.
 *
 * @param rate harmonic mean of the lowest rate on each path, in bits per second, so that an average message takes its
 *     size over this rate
 * @param latency mean of half an RTT in an empty network, in ns
 * @param cards mean number of the source's ports that lead to the destination
 */
public record PairMeans(double rate, double latency, double cards) {
    public static PairMeans of(Routes routes, int npus, int stride, int size) {
        double slowness = 0;
        double latency = 0;
        double cards = 0;
        long pairs = 0;
        for (int from = 0; from < npus; from++) {
            int origin = from - from / stride % size * stride;
            for (int place = 0; place < size; place++) {
                int to = origin + place * stride;
                int choices =
                        to == from || to >= npus || !routes.areHosts(from, to) ? 0 : routes.towards(from, to).length;
                if (choices > 0) {
                    slowness += 1.0 / routes.slowest(from, to);
                    latency += routes.roundTrip(from, to) / 2.0;
                    cards += choices;
                    pairs++;
                }
            }
        }
        return pairs == 0 ? new PairMeans(1, 0, 1) : new PairMeans(pairs / slowness, latency / pairs, cards / pairs);
    }
}
