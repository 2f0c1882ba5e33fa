// Reads events of a node from a cursor on, and prints them as lines of cursor, height and kind, until there are enough blocks.
//
//	go run . ADDRESS USER:PASSWORD CURSOR BLOCKS
package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	eventsv1 "dfi.example/clients/dfi/events/v1"
)

func main() {
	address, login, cursor := os.Args[1], os.Args[2], os.Args[3]
	blocks, err := strconv.Atoi(os.Args[4])
	check(err)
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(err)
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	basic := base64.StdEncoding.EncodeToString([]byte(login))
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Basic "+basic)
	filter := &eventsv1.EventFilter{Kinds: []string{"block"}}
	stream, err := eventsv1.NewEventsServiceClient(connection).SubscribeEvents(ctx, &eventsv1.SubscribeEventsRequest{Cursor: cursor, Filter: filter})
	check(err)
	for blocks > 0 {
		response, err := stream.Recv()
		check(err)
		event := response.GetEvent()
		if event.GetBlock() == nil {
			fmt.Println(event.GetCursor(), "-", "-")
			continue
		}
		fmt.Println(event.GetCursor(), event.GetHeight(), "block")
		blocks--
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
