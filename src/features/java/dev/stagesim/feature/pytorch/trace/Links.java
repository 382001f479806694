package dev.stagesim.feature.pytorch.trace;

/** What links device operators to others, as the nodes of a linked trace are made in order. */
interface Links {
    /** Device operators that a host operator launched, by start. */
    int[] launchedBy(int hostPosition);

    /** Process group of a device operator; empty for none. */
    String group(int event);

    /** Tells that a host operator has become a node. */
    void hostPlaced(int hostPosition, long id);

    /** Tells that a device operator has become a node. */
    void devicePlaced(int event, long id, Ids ids);

    /** Nodes that have to be done before a node; asked once all nodes are there, by ascending identity. */
    long[] after(long id, Ids ids);
}
