package dev.stagesim.feature.pytorch.link;

/** Strategy that connects device operators to other nodes while the linked trace is created in order. */
interface LinkStrategy {
    /** Returns the device operators that a host operator launched, by start. */
    int[] launchedBy(int hostPosition);

    /** Process group of a device operator; empty if none. */
    String group(int event);

    /** Notifies that a host operator has become a node. */
    void hostPlaced(int hostPosition, long id);

    /** Notifies that a device operator has become a node. */
    void devicePlaced(int event, long id, Ids ids);

    /** Returns the nodes that must complete before a node. Called by ascending id after all nodes exist. */
    long[] after(long id, Ids ids);
}
